import {
  type Answer,
  askMeetings,
  type DetailedSearchResults,
  getMeeting,
  LIMITS,
  type MeetingDetail,
  searchMeetingsInDetail,
} from "@minutes/contract";
import { createWordFinder, cutBetweenWords, listContentWords } from "@minutes/core";
import { z } from "zod";
import { quote } from "../documents.js";
import { type Arguments, defineTool, type ToolDefinition, type ToolHelp } from "./definition.js";
import { noteSeveral, suggestNames } from "./similar-names.js";
import { addNote, type List, noteTag, shorten, TextParameter } from "./size.js";

/** 40 results would fill a conversation. */
const RESULTS: List = { key: "results", what: "results", most: 5 };
/** Number of documents that `search` returns. */
const DOCUMENTS = 10;
/** Maximum length of a document in characters. */
const DOCUMENT_LENGTH = 50_000;
/** Maximum length of an excerpt of `search` in characters, and of its text before the first word of the query. */
const EXCERPT = 300;
const LEAD = 100;
/** Characters of a passage in which its first word of the query is sought. */
const SEARCHED = 5_000;
/** Start of a range without start. */
const ALL_TIME = "0001-01-01";
/** Maximum number of searches for the oldest or the newest match. */
const ROUNDS = 5;

/** Tells that results are no evidence, if none is a match. */
const noteWeak = (results: readonly Pick<Found["results"][number], "relevance">[]): { note?: string } =>
  results.some(({ relevance }) => relevance === "match")
    ? {}
    : { note: "None is a match: they may be about something else, so they are no evidence." };

const describeRange = (startDate: unknown, endDate: unknown): string =>
  [startDate && `from ${startDate}`, endDate && `until ${endDate}`].filter(Boolean).join(" ");

/** Describes what was searched, for an unanswered question, and where else to look. */
function describeAsked({ searched }: Pick<Answer, "searched">, meetingId: unknown): string {
  const { words, startDate, endDate, byMeaning } = searched;
  const [where, next] =
    meetingId === undefined
      ? [
          `own and shared meetings ${describeRange(startDate, endDate) || "of all time"}`,
          `search_meetings also finds weaker matches: try keywords in the language of the meetings.${isDated({ startDate, endDate }) ? " list_meetings lists the meetings of these days." : ""}`,
        ]
      : ["this meeting", "get_transcript has all that was said."];
  return (
    `Not found in ${where}. Searched for: ${words.join(", ")}, ` +
    `by words${byMeaning ? " and by meaning" : " only: try other words"}. ${next}`
  );
}

/** Tells that a question with no other words than names, such as “What did Ada say?”, is answered with any turns of theirs. */
const noteOnlyNames = ({ words, people }: Answer["searched"]): string =>
  people.length > 0 && words.every((word) => people.includes(word))
    ? "The question has only names: these are some of their turns. find_meetings with person lists their meetings."
    : "";

/** Maximum number of words of an unanswered question that are compared with names. */
const NAMES = 3;

/** Suggests people for words of an unanswered question that are written like names. */
async function suggestPeople(help: Pick<ToolHelp, "run">, { words, people }: Answer["searched"]) {
  const names = words.filter((word) => /^\p{Lu}/u.test(word) && !people.includes(word)).slice(0, NAMES);
  return Promise.all(names.map((person) => suggestNames(help, { person })));
}

/** Tells that results are no evidence, and that older meetings were not searched. */
function describeAnswer({ results, allTime }: Found, range: Arguments): { note?: string } {
  const { note: weak } = noteWeak(results);
  const recent =
    allTime === null
      ? "Searched the last 6 months: set startDate for older ones."
      : `${allTime.matches} matches are older, from ${allTime.firstDate}: set startDate.`;
  const note = [weak, isDated(range) ? undefined : recent].filter(Boolean).join(" ");
  return note === "" ? {} : { note };
}

/** Describes the search parameters, for a search without results. */
function describeSearch({ startDate, endDate, tag, person }: Arguments, meaning: boolean): string {
  const range =
    startDate === ALL_TIME
      ? "of all time"
      : startDate === undefined && endDate === undefined
        ? "of the last 6 months"
        : describeRange(startDate, endDate);
  const filters = [tag && `with the tag ${tag}`, person && `in which ${person} spoke`].filter(Boolean);
  return (
    `Nothing was found in own and shared meetings ${range}${filters.length > 0 ? `, ${filters.join(", ")}` : ""}. ` +
    (meaning ? "Searched by words and by meaning." : "Searched by words only: try other words.")
  );
}

type Found = DetailedSearchResults;

const isDated = ({ startDate, endDate }: Arguments): boolean =>
  (startDate ?? undefined) !== undefined || (endDate ?? undefined) !== undefined;

const listMatches = ({ results }: Found) => results.filter(({ relevance }) => relevance === "match");

/**
 * Searches for the oldest or the newest matches. A search returns the 40 most relevant ones, so it is repeated before, or
 * after, the outermost until there are fewer.
 */
async function searchByDate(
  search: (range: Arguments) => Promise<Found>,
  order: "newest" | "oldest",
  query: unknown,
): Promise<Found> {
  const words = String(query).toLowerCase();
  const sort = (results: Found["results"]) =>
    results.toSorted(
      (a, b) =>
        a.meetingDate.localeCompare(b.meetingDate) * (order === "oldest" ? 1 : -1) ||
        // Within a day, lexical matches come before purely semantic ones.
        Number(b.text.toLowerCase().includes(words)) - Number(a.text.toLowerCase().includes(words)),
    );
  let found = await search({ limit: LIMITS.searchResults });
  let results = sort(listMatches(found));
  if (results.length === 0) return { ...found, results: sort(found.results) };
  for (let round = 1; round < ROUNDS && found.results.length === LIMITS.searchResults; round++) {
    const bound = results[0]?.meetingDate;
    found = await search({
      limit: LIMITS.searchResults,
      ...(order === "oldest" ? { endDate: bound } : { startDate: bound }),
    });
    // Related results may lie further out, but aren't a first or last mention.
    const further = sort(listMatches(found));
    if (further.length === 0 || further[0]?.meetingDate === bound) break;
    results = further;
  }
  return { ...found, results };
}

/** Creates the function that cuts a passage around its first word of a query, between words. */
function createExcerpt(query: string): (text: string) => string {
  const find = createWordFinder(listContentWords(query).map(({ text }) => text));
  return (text) => {
    if (text.length <= EXCERPT) return text;
    const start = Math.min(Math.max(0, (find(text.slice(0, SEARCHED)) ?? 0) - LEAD), text.length - EXCERPT);
    return cutBetweenWords(text, start, EXCERPT);
  };
}

/** Tools that search. */
export const SEARCH_TOOLS: readonly ToolDefinition[] = [
  defineTool({
    name: "search_meetings",
    title: "Search what was said",
    description:
      `Searches what was said and written in own and shared meetings, and returns the ${RESULTS.most} most relevant excerpts, with meeting, speakers ` +
      "and seconds from the start; one without speakers is from a title, summary or task. Only a `match` is evidence; `related` may be about something else. Without dates, only the " +
      "last 6 months are searched, by relevance; without a match there, `allTime` counts those of all time. For a first mention, set order to oldest.",
    operation: searchMeetingsInDetail,
    own: z.object({
      limit: z
        .int()
        .min(1)
        .max(LIMITS.searchResults, `must be an integer from 1 to ${LIMITS.searchResults}.`)
        .optional()
        .describe(
          `Up to ${LIMITS.searchResults}. When absent, as many as fit into 6 KB, at most ${RESULTS.most}.`,
        ),
      order: z.enum(["relevance", "newest", "oldest"]).default("relevance").describe("What comes first."),
    }),
    call: async (input, { limit, order }, help) => {
      const { run, meaning, toUrl } = help;
      // A first mention can be older than six months.
      const args = order === "relevance" || isDated(input) ? input : { ...input, startDate: ALL_TIME };
      const most = limit ?? RESULTS.most;
      const search = (range: Arguments) => run({ ...args, ...range }) as Promise<Found>;
      const found =
        order === "relevance" ? await search({ limit: most }) : await searchByDate(search, order, args.query);
      const results = found.results.slice(0, most).map((result) => {
        const [first] = result.segments;
        return { ...result, link: `${toUrl(result.meetingId)}${first ? `?at=${first.position}` : ""}` };
      });
      const answer = { ...found, results };
      const filters = [await noteTag(help, args), await noteSeveral(help, args)].filter(Boolean).join(" ");
      if (answer.results.length === 0) {
        const notes = [describeSearch(args, meaning), filters, await suggestNames({ run }, args)];
        return { ...answer, note: notes.filter(Boolean).join(" ") };
      }
      const rated = addNote({ ...answer, ...describeAnswer(answer, args) }, filters);
      return limit === undefined ? shorten(rated, RESULTS, "Set limit for more.") : rated;
    },
  }),
  defineTool({
    name: "ask",
    title: "Ask what was said",
    description:
      "Answers a question with up to five turns of own and shared meetings, word by word, with speaker and seconds; or says that it was not found. " +
      "Days and people in the question narrow it. A `related` turn may not answer it. Quote them; read around one with get_turns.",
    operation: askMeetings,
    own: z.object({}),
    call: async (args, _, help) => {
      const { meetings, ...answer } = (await help.run(args)) as Answer;
      const linked = meetings.map(({ turns, ...meeting }) => ({
        ...meeting,
        turns: turns.map((turn) => ({
          ...turn,
          link: `${help.toUrl(meeting.meetingId)}?at=${turn.position}`,
        })),
      }));
      // Two names can be those of one person.
      const [person, ...others] = answer.searched.people;
      const several = others.length > 0 ? "" : await noteSeveral(help, { person });
      const notes = answer.found
        ? [noteWeak(meetings.flatMap(({ turns }) => turns)).note, noteOnlyNames(answer.searched)]
        : [describeAsked(answer, args.meetingId), ...(await suggestPeople(help, answer.searched))];
      return addNote({ ...answer, meetings: linked }, [...notes, several].filter(Boolean).join(" "));
    },
  }),
  defineTool({
    name: "search",
    title: "Search meetings",
    description:
      "Searches own and shared meetings of all time, and returns up to ten meetings with the best excerpt of each. Read one with fetch.",
    operation: searchMeetingsInDetail,
    input: z.strictObject({}),
    own: z.object({ query: TextParameter.describe("What to search for.") }),
    call: async (_, { query }, { run, toUrl, meaning }) => {
      const input = { query, startDate: ALL_TIME, limit: LIMITS.searchResults };
      const found = (await run(input)) as Found;
      const matches = listMatches(found);
      const results = matches.length > 0 ? matches : found.results;
      const cut = createExcerpt(query);
      const best = new Map(results.toReversed().map((result) => [result.meetingId, result]));
      const documents = [...new Set(results.map(({ meetingId }) => meetingId))].slice(0, DOCUMENTS);
      const answer = {
        results: documents.flatMap((id) => {
          const { meetingTitle, meetingDate, text } = best.get(id) ?? {};
          return text === undefined
            ? []
            : {
                id,
                title: `${meetingTitle ?? "Untitled"} (${meetingDate})`,
                url: toUrl(id),
                text: cut(text),
              };
        }),
      };
      return documents.length === 0
        ? { ...answer, note: describeSearch(input, meaning) }
        : shorten(
            { ...answer, ...noteWeak(results) },
            { ...RESULTS, what: "meetings", most: DOCUMENTS },
            "Use a more specific query.",
          );
    },
  }),
  defineTool({
    name: "fetch",
    title: "Read a document",
    description: `Reads a whole meeting that search returned: its summary and its transcript, up to ${DOCUMENT_LENGTH.toLocaleString("en")} characters.`,
    operation: getMeeting,
    callers: ["user"],
    input: z.strictObject({}),
    own: z.object({ id: TextParameter.describe("The `id` of a result of search.") }),
    call: async (_, { id }, { run, toUrl }) => {
      const meeting = (await run({ meetingId: id })) as MeetingDetail;
      const { markdown } = meeting.summary;
      const summary = markdown.trim() === "" ? "" : `# Summary\n\n${quote(markdown)}\n\n`;
      const whole = `${summary}# Transcript\n\n${meeting.transcript}`.trim();
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
  }),
];
