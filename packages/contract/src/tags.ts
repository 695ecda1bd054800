import { z } from "zod";

/** A procedure without parameters; any field is refused. */
export const NoInput = z.strictObject({}).prefault({});

/** Contract: "Tag". */
export const Tag = z.object({
  id: z.string().describe("Unique tag ID."),
  name: z.string(),
  shared: z
    .boolean()
    .describe("True if another user shared the tag with the caller; false if the caller owns it."),
});
export type Tag = z.infer<typeof Tag>;

export const TagList = z.object({ tags: z.array(Tag) });
export type TagList = z.infer<typeof TagList>;
