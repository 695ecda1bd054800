import type { inferProcedureOutput } from "@trpc/server";
import type { Operator, OperatorCommand } from "./cli/command.js";
import { formatTable, print, withProgress } from "./cli/output.js";
import type { search } from "./procedures/search.js";

type Search = { search: typeof search };
type Chunk = inferProcedureOutput<typeof search.explain>["chunks"][number];

/** Maximum characters of a result's text in a table. */
const TEXT_SHOWN = 60;

const DIGITS = 2;
const COLUMNS = {
  DATE: ({ startTime }: Chunk) => startTime.slice(0, 10),
  MEETING: ({ meetingTitle }: Chunk) => meetingTitle,
  TEXT: ({ text }: Chunk) => text.replace(/\s+/g, " ").slice(0, TEXT_SHOWN),
};
const PARTS = {
  SCORE: ({ score }: Chunk) => score.toFixed(DIGITS),
  WORDS: ({ coverage }: Chunk) => coverage.toFixed(DIGITS),
  MEANING: ({ similarity }: Chunk) => similarity.toFixed(DIGITS),
  SPEAKER: ({ speaker }: Chunk) => speaker.toFixed(DIGITS),
  "WHOLE MEETING": ({ meeting }: Chunk) => meeting.toFixed(DIGITS),
};

/** Adds `minutes search`. */
export function addSearchCommands(program: OperatorCommand<Search>): void {
  program
    .add("search <user> <query>", "search what was said, as this user")
    .option("--from <date>", "only meetings that start on or after this day")
    .option("--to <date>", "only meetings that start on or before this day")
    .option("--explain", "show the components of each result's score")
    .addHelpText(
      "after",
      "\nWithout dates, the last six months are searched. The search and its user are recorded in the audit log.",
    )
    .run(async ({ search }, user, query, { json, explain, from: startDate, to: endDate }) => {
      const found = await search.explain.query({ user, query, startDate, endDate });
      const lines = formatTable(found.chunks, explain ? { ...PARTS, ...COLUMNS } : COLUMNS);
      print({ json }, found, lines, [found.byMeaning ? "By words and meaning." : "By words only."]);
    });
}

/** Adds `minutes ask`. */
export function addAskCommands(program: OperatorCommand<Search>): void {
  program
    .add("ask <user> <question>", "answer a question with what was said, as this user")
    .addHelpText("after", "\nThe question and its user are recorded in the audit log, without its text.")
    .run(async ({ search }, user, question, options) => {
      const answer = await search.ask.query({ user, question });
      const quotes = answer.meetings.flatMap(({ meetingTitle, meetingDate, turns }) => [
        `${meetingTitle ?? "Untitled"} (${meetingDate})`,
        ...turns.map(({ speakerName, startSeconds, text, link }) => {
          const time = startSeconds === null ? "" : ` at ${formatSeconds(startSeconds)}`;
          return `  ${speakerName}${time}: ${text} [${link}]`;
        }),
      ]);
      const { words, byMeaning } = answer.searched;
      const lines = answer.found ? quotes : ["Not found in their meetings."];
      print(options, answer, lines, [
        `Searched for ${words.join(", ")}, by words${byMeaning ? " and meaning" : " only"}.`,
      ]);
    });
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
