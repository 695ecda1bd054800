import { z } from "zod";
import { LIMITS } from "./limits.js";
import { meetingRange, TagName } from "./meetings.js";
import { createFieldRefusal, type ProcedureReferences } from "./procedure.js";
import { boundedText, trimmedText } from "./text.js";

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

/** Parameters of the console's and assistants' `meetings.search`. */
export const SearchMeetingsInDetail = SearchMeetings.extend({
  limit: z
    .int()
    .min(1)
    .max(LIMITS.pageSizeMax)
    .default(LIMITS.searchResults)
    .describe("How many results to return; never more than 40, which is the number when absent."),
  tag: TagName,
  person: boundedText(1, LIMITS.emailMax)
    .optional()
    .describe("Only meetings in which this person spoke: an e-mail address, or a part of a name."),
}).meta({ id: "SearchMeetingsInDetail" });
export type SearchMeetingsInDetail = z.infer<typeof SearchMeetingsInDetail>;

/** One turn of the transcript that a result consists of; its words are in the result's text. */
const SearchSegment = z.object({
  position: z.int().describe("Place among the transcript's turns, from 0."),
  speakerName: z.string().describe("Display name."),
  startSeconds: z.number().nullable().describe("Seconds from the start of the recording, if known."),
  endSeconds: z.number().nullable().describe("Seconds from the start of the recording, if known."),
});

/** Payload of the console's and assistants' `meetings.search`. */
export const DetailedSearchResults = z
  .object({
    results: z
      .array(
        SearchChunk.extend({
          segments: z
            .array(SearchSegment)
            .describe("Its turns in order. A long turn that is cut keeps the times of the whole turn."),
        }).meta({ id: "DetailedSearchChunk" }),
      )
      .describe("The matches, most relevant first."),
    allTime: z
      .object({
        matches: z.int().describe("How many matches there are in all time, 1 to 40."),
        firstDate: z.string().meta({ format: "date" }).describe("Day (UTC) of the oldest of them."),
      })
      .nullable()
      .describe("What there is outside the range that was searched; null where something was found in it."),
  })
  .meta({ id: "DetailedSearchResults", description: "What a search found, with speakers and times." });
export type DetailedSearchResults = z.infer<typeof DetailedSearchResults>;

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
