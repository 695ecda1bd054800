import { z } from "zod";
import { LIMITS } from "./limits.js";
import { meetingRange } from "./meetings.js";
import { createFieldRefusal, type ProcedureReferences } from "./procedure.js";
import { trimmedText } from "./text.js";

/** Parameters of `me/meetings.search`. @see docs/specification.md#search-behaviour */
export const SearchMeetings = z
  .strictObject({
    query: trimmedText(1, LIMITS.searchQueryMax).describe(
      "What to look for, 1 to 1,000 characters after trimming.",
    ),
    ...meetingRange,
  })
  .meta({ id: "SearchMeetings" });

/** A matching excerpt of a meeting. @see docs/specification.md#search-result-chunk */
export const SearchChunk = z
  .object({
    id: z.string().describe("Unique chunk ID."),
    text: z.string().describe("Matching excerpt."),
    meetingId: z.string().describe("Source meeting's `id`."),
    meetingTitle: z.string().nullable().describe("Source meeting's title."),
    meetingDate: z.string().meta({ format: "date" }).describe("Day of the meeting (UTC), `YYYY-MM-DD`."),
  })
  .meta({ id: "SearchChunk", description: "An excerpt that matches, with its source." });
export type SearchChunk = z.infer<typeof SearchChunk>;

export const SearchResults = z
  .object({ results: z.array(SearchChunk).describe("Up to 40 matches, most relevant first.") })
  .meta({ id: "SearchResults", description: "What a search found." });
export type SearchResults = z.infer<typeof SearchResults>;

/** What is said about `meetings.search`. @see docs/specification.md#endpoints */
export const SEARCH_PROCEDURES = {
  "me/meetings.search": {
    summary: "Search what was said",
    description:
      "Finds excerpts of own and shared meetings, by words and, where a model is at work, by meaning: up to 40, most relevant first, each with its source. " +
      "Without `startDate` and `endDate` only meetings of the last 6 months are searched.",
    example: { query: "why did the backup fail" },
    refusals: ["query", "startDate", "endDate"].map(createFieldRefusal),
  },
} as const satisfies ProcedureReferences;
