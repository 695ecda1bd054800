import { LIMITS } from "@minutes/contract";
import type { inferProcedureOutput } from "@trpc/server";
import type { Operator, OperatorCommand } from "./cli/command.js";
import { cut, formatTable, print, withProgress } from "./cli/output.js";
import type { search } from "./procedures/search.js";

type Search = { search: typeof search };
type Chunk = inferProcedureOutput<typeof search.explain>["chunks"][number];

/** Width of the table where there is no terminal, and of a title in it, in characters. */
const WIDTH = 120;
const TITLE = 40;

const DIGITS = 2;
/** Columns of `--explain`. */
const COLUMNS = {
  SCORE: ({ score }: Chunk) => score.toFixed(DIGITS),
  WORDS: ({ coverage }: Chunk) => coverage.toFixed(DIGITS),
  MEANING: ({ similarity }: Chunk) => similarity.toFixed(DIGITS),
  SPEAKER: ({ speaker }: Chunk) => speaker.toFixed(DIGITS),
  "WHOLE MEETING": ({ meeting }: Chunk) => meeting.toFixed(DIGITS),
  RELEVANCE: ({ relevance }: Chunk) => relevance ?? "refused",
  DATE: ({ startTime }: Chunk) => startTime.slice(0, 10),
  MEETING: ({ meetingTitle }: Chunk) => meetingTitle && cut(meetingTitle, TITLE),
  FOUND: ({ found }: Chunk) => formatFound(found),
};

const formatFound = ({ sentence, speakerName }: Chunk["found"]): string =>
  speakerName === null ? sentence : `${speakerName}: ${sentence}`;

/** Lists results below their meetings, each with its mark, time and the sentence found. */
function formatResults(chunks: readonly Chunk[], width: number): string[] {
  const meetings = new Map<string, Chunk[]>();
  for (const chunk of chunks)
    meetings.set(chunk.meetingId, [...(meetings.get(chunk.meetingId) ?? []), chunk]);
  return [...meetings].flatMap(([id, [best, ...others]]) => {
    if (best === undefined) return [];
    const rows = [best, ...others].map(({ relevance, found }) => {
      const time = found.startSeconds === null ? "" : formatSeconds(found.startSeconds);
      return cut(`  ${time.padStart(TIME)}  ${(relevance ?? "").padEnd(MARK)}  ${formatFound(found)}`, width);
    });
    return [`${id}  ${best.startTime.slice(0, 10)}  ${best.meetingTitle ?? "Untitled"}`, ...rows];
  });
}

/** Widths of a time such as `61:05`, and of `related`. */
const TIME = 5;
const MARK = 7;

/** Says how many results match, or that maybe none answers the query. The best are no count of all. */
export function summarise(chunks: readonly Pick<Chunk, "relevance">[]): string {
  const matches = chunks.filter(({ relevance }) => relevance === "match").length;
  const related = chunks.length - matches;
  if (chunks.length === 0) return "Nothing was found.";
  if (matches === 0) return "None is a match: they may be about something else.";
  const counted = `${matches} ${matches === 1 ? "match" : "matches"}${related > 0 ? ` and ${related} related` : ""}`;
  return chunks.length < LIMITS.searchResults
    ? `${counted}.`
    : `The best ${chunks.length} results: ${counted}.`;
}

/** Adds `minutes search`. */
export function addSearchCommands(program: OperatorCommand<Search>): void {
  program
    .add("search <user> <query>", "search what was said, as this user")
    .option("--from <date>", "only meetings that start on or after this day")
    .option("--to <date>", "only meetings that start on or before this day")
    .option(
      "--explain",
      "show the components of each result's score, also of results that are not shown to the user",
    )
    .addHelpText(
      "after",
      "\nWithout dates, the last six months are searched. Each result has the time in the recording, whether it is a match or only related, and\nthe sentence with most of the query; --json has everything. The search and its user are recorded in the audit log.",
    )
    .run(async ({ search }, user, query, { json, explain, from: startDate, to: endDate }) => {
      const found = await search.explain.query({ user, query, startDate, endDate });
      const how = found.byMeaning ? "By words and meaning." : "By words only.";
      const shown = found.chunks.filter(({ relevance }) => explain || relevance !== null);
      const lines = explain
        ? formatTable(shown, COLUMNS, process.stdout.columns || WIDTH)
        : formatResults(shown, process.stdout.columns || Infinity);
      const notes = explain ? [how] : [summarise(shown), how];
      print({ json }, { ...found, chunks: shown }, lines, notes);
    });
}

/** Adds `minutes ask`. */
export function addAskCommands(program: OperatorCommand<Search>): void {
  program
    .add("ask <user> <question>", "answer a question with what was said, as this user")
    .addHelpText(
      "after",
      "\nIf a model writes answers, each of its sentences has a verified quote, and the user's limits of the day apply. The question and its\n" +
        "user are recorded in the audit log, without its text.",
    )
    .run(async ({ search }, user, question, options) => {
      const answer = await search.ask.query({ user, question });
      const { isWritten, sentences, meetings, searched } = answer;
      const written = sentences.flatMap(({ text, quote }) => [
        text,
        `  ${formatMeeting(quote)}, ${formatTurn(quote)}`,
      ]);
      const quotes = meetings.flatMap((meeting) => [
        formatMeeting(meeting),
        ...meeting.turns.map(
          (turn) => `  ${formatTurn(turn)}${turn.relevance === "related" ? " (related)" : ""}`,
        ),
      ]);
      const lines = answer.found ? (isWritten ? written : quotes) : ["Not found in their meetings."];
      const how = searched.byMeaning ? " and meaning" : " only";
      const notes = [`Searched for ${searched.words.join(", ")}, by words${how}.`];
      print(options, answer, lines, answer.note === null ? notes : [answer.note, ...notes]);
    });
}

type Meeting = inferProcedureOutput<typeof search.ask>["meetings"][number];

const formatMeeting = ({ meetingTitle, meetingDate }: Omit<Meeting, "turns">): string =>
  `${meetingTitle ?? "Untitled"} (${meetingDate})`;

function formatTurn({
  speakerName,
  startSeconds,
  text,
  link,
}: Omit<Meeting["turns"][number], "relevance">): string {
  const time = startSeconds === null ? "" : ` at ${formatSeconds(startSeconds)}`;
  return `${speakerName}${time}: ${text} [${link}]`;
}

/** Formats a time in a recording as minutes and seconds, such as `61:05`. */
const formatSeconds = (seconds: number): string =>
  `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;

/** Adds `minutes reindex`. */
export function addReindexCommands(program: OperatorCommand<Search>): void {
  program
    .add("reindex", "reindex meetings indexed with other settings or by an older version")
    .addHelpText(
      "after",
      "\nSearch keeps working. The command can be interrupted and run again. SEARCH_LANGUAGE sets the language.",
    )
    .run(async (operator, options) => {
      const { SEARCH_LANGUAGE: language } = program.getConfig();
      const reindexed = await reindexAll(operator, language);
      print(options, { reindexed }, [`${reindexed} indexed again`]);
    });
}

/** Returns the number of reindexed meetings. */
async function reindexAll({ search }: Operator<Search>, language: string | undefined): Promise<number> {
  const { outdated } = await search.prepareReindex.mutate({ language });
  return withProgress(
    outdated,
    "meetings",
    async (progress) => {
      let all = 0;
      for (;;) {
        const { done } = await search.reindex.mutate();
        if (done === 0) return all;
        all += done;
        progress.update(all);
      }
    },
    { pause: 0 },
  );
}
