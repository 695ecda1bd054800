import { z } from "zod";
import { NoInput, query } from "./operation.js";

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

/** @see docs/specification.md#personal-key-routes */
export const listTags = query("tags.list", {
  callers: ["user"],
  v1: true,
  rest: { at: "GET /tags", id: "listTags" },
  tool: {
    name: "list_tags",
    title: "List tags",
    description:
      "Lists the user's own tags and those shared with them. list_meetings and search_meetings take a tag's name.",
    list: "tags",
  },
  input: NoInput,
  output: TagList,
  summary: "List own and shared tags",
  description: "The caller's own tags and tags that others shared with the caller.",
  example: {},
  refuses: [],
});
