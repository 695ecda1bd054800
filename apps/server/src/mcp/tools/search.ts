import { DetailedSearchResults, LIMITS, type MeetingDetail, SearchMeetingsInDetail } from "@minutes/contract";
import { z } from "zod";
import {
  type Arguments,
  integerParameter,
  omit,
  readChoice,
  readInteger,
  readText,
  refuseOthers,
  type ToolDefinition,
  type ToolHelp,
  textParameter,
} from "./definition.js";

/** Default number of search results: 40 would fill a conversation. */
const RESULTS = 5;
/** Number of documents that `search` returns. */
const DOCUMENTS = 10;
/** Maximum length of a document in characters. */
const DOCUMENT_LENGTH = 50_000;
const ORDERS = ["relevance", "newest", "oldest"] as const;

/** Describes the search parameters, for a search without results. */
function describeSearch({ startDate, endDate, tag, person }: Arguments, meaning: boolean): string {
  const range =
    startDate === undefined && endDate === undefined
      ? "the last 6 months"
      : [startDate && `from ${startDate}`, endDate && `until ${endDate}`].filter(Boolean).join(" ");
  const filters = [tag && `with the tag ${tag}`, person && `in which ${person} spoke`].filter(Boolean);
  return (
    `Nothing was found in own and shared meetings of ${range}${filters.length > 0 ? `, ${filters.join(", ")}` : ""}. ` +
    (meaning ? "Searched by words and by meaning." : "Searched by words only: try other words.")
  );
}

async function searchInOrder(args: Arguments, { run, meaning }: ToolHelp): Promise<unknown> {
  const order = readChoice(args, "order", ORDERS) ?? "relevance";
  const limit = readInteger(args, "limit", 1, LIMITS.pageSizeMax) ?? RESULTS;
  const input = omit(args, "order", "limit");
  const wanted = order === "relevance" ? limit : LIMITS.searchResults;
  const found = DetailedSearchResults.parse(await run({ ...input, limit: wanted }));
  const results =
    order === "relevance"
      ? found.results
      : found.results
          .toSorted((a, b) => a.meetingDate.localeCompare(b.meetingDate) * (order === "oldest" ? 1 : -1))
          .slice(0, limit);
  return { ...found, results, ...(results.length === 0 ? { note: describeSearch(input, meaning) } : {}) };
}

/** Tools that search. */
export const SEARCH_TOOLS: readonly ToolDefinition[] = [
  {
    name: "search_meetings",
    title: "Search what was said",
    description:
      `Searches what was said and written in own and shared meetings, and returns the ${RESULTS} most relevant excerpts, each with its meeting, ` +
      "speakers and, if known, seconds from the start; one without speakers is from a title, summary or task. Read results whose relevance is `match` before `related`. Without startDate and endDate, " +
      "only meetings of the last 6 months are searched; `allTime` then says how many matches are older. For a first mention, set order to oldest.",
    procedure: "meetings.search",
    input: SearchMeetingsInDetail,
    extra: {
      limit: integerParameter("Number of results to return.", 1, LIMITS.searchResults, RESULTS),
      order: {
        type: "string",
        enum: ORDERS,
        default: "relevance",
        description: "Order of the results. The dates order the 40 most relevant ones.",
      },
    },
    output: DetailedSearchResults.extend({ note: z.string().optional() }),
    call: searchInOrder,
  },
  {
    name: "search",
    title: "Search meetings",
    description:
      "Searches own and shared meetings of all time, and returns up to ten meetings with the best excerpt of each. Read one with fetch.",
    procedure: "meetings.search",
    input: z.strictObject({}),
    extra: { query: textParameter("What to search for.") },
    output: z.object({
      results: z.array(z.object({ id: z.string(), title: z.string(), url: z.string(), text: z.string() })),
    }),
    call: async (args, { run, toUrl }) => {
      refuseOthers(args, ["query"]);
      const input = { query: readText(args, "query"), startDate: "0001-01-01", limit: LIMITS.searchResults };
      const { results } = DetailedSearchResults.parse(await run(input));
      const best = new Map(results.toReversed().map((result) => [result.meetingId, result]));
      const documents = [...new Set(results.map(({ meetingId }) => meetingId))].slice(0, DOCUMENTS);
      return {
        results: documents.flatMap((id) => {
          const { meetingTitle, meetingDate, text } = best.get(id) ?? {};
          return text === undefined
            ? []
            : {
                id,
                title: `${meetingTitle ?? "Untitled"} (${meetingDate})`,
                url: toUrl(id),
                text: text.slice(0, 300),
              };
        }),
      };
    },
  },
  {
    name: "fetch",
    title: "Read a document",
    description: `Reads a meeting that search returned: its summary and its transcript, up to ${DOCUMENT_LENGTH.toLocaleString("en")} characters.`,
    procedure: "meetings.get",
    personalOnly: true,
    input: z.strictObject({}),
    extra: { id: textParameter("The `id` of a result of search.") },
    output: z.object({
      id: z.string(),
      title: z.string(),
      text: z.string(),
      url: z.string(),
      metadata: z.record(z.string(), z.string()),
    }),
    call: async (args, { run, toUrl }) => {
      refuseOthers(args, ["id"]);
      const meeting = (await run({ meetingId: readText(args, "id") })) as MeetingDetail;
      const whole = `${meeting.summary.markdown}\n\n# Transcript\n\n${meeting.transcript}`.trim();
      const text =
        whole.length > DOCUMENT_LENGTH
          ? `${whole.slice(0, DOCUMENT_LENGTH)}\n\n[The transcript continues: read it with get_transcript.]`
          : whole;
      return {
        ...{ id: meeting.id, title: meeting.title, text, url: toUrl(meeting.id) },
        metadata: {
          date: meeting.startTime.slice(0, 10),
          participants: meeting.participants.map(({ name }) => name).join(", "),
        },
      };
    },
  },
];
