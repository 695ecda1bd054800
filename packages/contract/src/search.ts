import { z } from "zod";
import { LIMITS } from "./limits.js";
import { meetingRange, PersonName, TagName, Whose } from "./meetings.js";
import { createFieldRefusal, query } from "./operation.js";
import { trimmedText } from "./text.js";

/** Parameters of `me/meetings.search`. @see docs/specification.md#search-behaviour */
export const SearchMeetings = z
  .strictObject({
    query: trimmedText(1, LIMITS.searchQueryMax).describe(
      "What to search for, 1 to 1,000 characters after trimming.",
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
  .meta({ id: "SearchChunk", description: "A matching excerpt with its source." });
export type SearchChunk = z.infer<typeof SearchChunk>;

export const SearchResults = z
  .object({ results: z.array(SearchChunk).describe("Up to 40 matches, most relevant first.") })
  .meta({ id: "SearchResults", description: "The results of a search." });
export type SearchResults = z.infer<typeof SearchResults>;

export const Relevance = z
  .enum(["match", "related"])
  .describe(
    "`match` if the result itself fits the query; `related` if it may not, as in other words or on another topic.",
  );
export type Relevance = z.infer<typeof Relevance>;

const RatedSearchChunk = SearchChunk.extend({ relevance: Relevance }).meta({ id: "RatedSearchChunk" });

/** Answer of `GET /search`. */
export const RatedSearchResults = z
  .object({ results: z.array(RatedSearchChunk).describe("Up to 40 results, most relevant first.") })
  .meta({ id: "RatedSearchResults", description: "The results of a search, and how well each fits." });
export type RatedSearchResults = z.infer<typeof RatedSearchResults>;

/** Parameters of `meetings.search` for the console and assistants. */
export const SearchMeetingsInDetail = SearchMeetings.extend({
  limit: z
    .int()
    .min(1)
    .max(LIMITS.pageSizeMax)
    .default(LIMITS.searchResults)
    .describe("Maximum number of results to return, up to 40; 40 when absent."),
  tag: TagName,
  whose: Whose,
  person: PersonName,
}).meta({ id: "SearchMeetingsInDetail" });
export type SearchMeetingsInDetail = z.infer<typeof SearchMeetingsInDetail>;

/** A transcript turn within a result. Its words are in the result's text. */
const SearchSegment = z.object({
  position: z.int().describe("Index in the transcript, from 0."),
  speakerName: z.string().describe("Display name."),
  startSeconds: z.number().nullable().describe("Seconds from the start of the recording, if known."),
  endSeconds: z.number().nullable().describe("Seconds from the start of the recording, if known."),
});

/** Answer of `meetings.search` for the console and assistants. */
export const DetailedSearchResults = z
  .object({
    results: z
      .array(
        RatedSearchChunk.extend({
          segments: z
            .array(SearchSegment)
            .describe(
              "The turns of the result in order; empty for a title, summary or task. A long turn that was split keeps the times of the whole turn.",
            ),
        }).meta({ id: "DetailedSearchChunk" }),
      )
      .describe("The results, most relevant first."),
    allTime: z
      .object({
        matches: z.int().describe("Number of matches of all time, 1 to 40."),
        firstDate: z.string().meta({ format: "date" }).describe("Day (UTC) of the oldest match."),
      })
      .nullable()
      .describe("Matches of all time; null if the searched range has a match, or is all time."),
  })
  .meta({ id: "DetailedSearchResults", description: "The results of a search, with speakers and times." });
export type DetailedSearchResults = z.infer<typeof DetailedSearchResults>;

/** Payload of the console's `meetings.searchProgress`. */
export const SearchProgress = z
  .object({
    meetings: z.int().describe("Number of visible meetings; 0 if search goes by words only."),
    waiting: z.int().describe("How many of them are found by words only until the model has encoded them."),
    failing: z.boolean().describe("Whether search goes by words because the model fails at the moment."),
  })
  .meta({ id: "SearchProgress", description: "How far the model has encoded the visible meetings." });
export type SearchProgress = z.infer<typeof SearchProgress>;

/** Parameters of `GET /search`. */
export const SearchByText = z.strictObject({ q: SearchMeetings.shape.query, ...meetingRange });

/** @see docs/specification.md#search-behaviour */
export const searchMeetings = query("meetings.search", {
  callers: ["user"],
  v1: true,
  input: SearchMeetings,
  output: SearchResults,
  summary: "Search what was said",
  description:
    "Finds excerpts of own and shared meetings, by words and, if a model is loaded, by meaning: up to 40, most relevant first, each with its source. " +
    "Without `startDate` and `endDate`, only meetings of the last 6 months are searched.",
  example: { query: "why did the backup fail" },
  refuses: ["query", "startDate", "endDate"].map(createFieldRefusal),
});

/** `meetings.search` over REST. */
export const searchByText = query("meetings.search", {
  ...searchMeetings,
  v1: undefined,
  rest: { at: "GET /search", id: "searchMeetings" },
  input: SearchByText,
  output: RatedSearchResults,
  description: `${searchMeetings.description} A \`relevance\` says whether a result fits; if none is a \`match\`, maybe nothing answers the query.`,
  example: { q: searchMeetings.example.query },
  refuses: ["q", "startDate", "endDate"].map(createFieldRefusal),
});
