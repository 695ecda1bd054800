import { MESSAGES, NoInput, SearchMeetings } from "@minutes/contract";
import { ApiError, audit, toSearchScope, visibleTo } from "@minutes/core";
import { countOutdated, explainRanking, reindexSome, setSearchLanguage } from "@minutes/search";
import type { inferProcedureOutput } from "@trpc/server";
import { z } from "zod";
import type { Operator, OperatorCommand } from "./cli/command.js";
import { formatTable, print, withProgress } from "./cli/output.js";
import { operatorProcedure, userProcedure } from "./operator/procedures.js";

/** Meetings reindexed per step: few, so that progress is visible and requests are answered in between. */
const STEP = 5;

export const search = {
  /** Sets the search language, if given, and counts the meetings to reindex. */
  prepareReindex: operatorProcedure
    .input(z.strictObject({ language: z.string().optional() }))
    .mutation(async ({ ctx: { db }, input: { language } }) => {
      if (language !== undefined && !(await setSearchLanguage(db, language)))
        throw new ApiError("BAD_REQUEST", MESSAGES.unknownSearchLanguage);
      return { outdated: await countOutdated(db) };
    }),
  /** Reindexes a few of those meetings; `done` is 0 once none is left. */
  reindex: operatorProcedure
    .input(NoInput)
    .mutation(async ({ ctx }) => ({ done: await reindexSome(ctx.db, STEP) })),
  /** Searches as a user, with the components of each result's score. Recorded in the audit log with the user. */
  explain: userProcedure
    .input(SearchMeetings.extend({ user: z.string() }))
    .query(async ({ ctx: { db, actor, user, ...ctx }, input: { user: _, ...input } }) => {
      await audit(db, actor, "search.explain", user.userId);
      const similarity = ctx.search ?? (await ctx.embeddings.load());
      return explainRanking(db, toSearchScope(visibleTo(user)), input, similarity);
    }),
};

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
