import { z } from "zod";
import type { ProcedureReferences } from "./procedure.js";

/** A procedure without parameters. Any field is refused. */
export const NoInput = z.strictObject({}).prefault({}).meta({ id: "NoInput" });

/** A tag as `tags.list` returns it. @see docs/specification.md#tag */
export const Tag = z
  .object({
    id: z.string().describe("Unique tag ID."),
    name: z.string().describe("The tag's name, as used by `tag` of `meetings.list`."),
    shared: z
      .boolean()
      .describe("True if another user shared the tag with the caller; false if the caller owns it."),
  })
  .meta({ id: "Tag", description: "A label that the caller owns or that was shared with them." });
export type Tag = z.infer<typeof Tag>;

export const TagList = z
  .object({ tags: z.array(Tag).describe("Own tags and tags shared with the caller.") })
  .meta({ id: "TagList", description: "All tags of the caller." });
export type TagList = z.infer<typeof TagList>;

/** Reference texts of `tags.*`. @see docs/specification.md#endpoints */
export const TAG_PROCEDURES = {
  "me/tags.list": {
    summary: "List own and shared tags",
    description: "The caller's own tags and tags that others shared with the caller.",
    example: {},
    refusals: [],
  },
} as const satisfies ProcedureReferences;
