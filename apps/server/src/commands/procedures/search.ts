import { type AnswerLine, Ask, MESSAGES, NoInput, SearchMeetings } from "@minutes/contract";
import { ApiError, answer, audit, findSentence, toActingUser, toSearchScope, visibleTo } from "@minutes/core";
import { countOutdated, explainRanking, reindexSome, setSearchLanguage } from "@minutes/search";
import { z } from "zod";
import { operatorProcedure, userProcedure } from "../operator/procedures.js";

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
  /**
   * Searches as a user, with the sentence found and the components of each result's score. Results that the user doesn't see have
   * the relevance null. Recorded in the audit log with the user.
   */
  explain: userProcedure
    .input(SearchMeetings.extend({ user: z.string() }))
    .query(async ({ ctx: { db, caller, user, ...ctx }, input: { user: _, ...input } }) => {
      await audit(db, caller, "search.explain", user.userId);
      const similarity = ctx.search ?? (await ctx.embeddings.load());
      const { byMeaning, chunks } = await explainRanking(
        db,
        toSearchScope(visibleTo(user)),
        input,
        similarity,
      );
      const toFound = (chunk: (typeof chunks)[number]) => ({
        ...chunk,
        found: findSentence({ text: chunk.text, segments: chunk.segments ?? [] }, input.query),
      });
      return { byMeaning, chunks: chunks.map(toFound) };
    }),
  /** Answers a question as a user, within the user's limits of the day. Recorded in the audit log with the user. */
  ask: userProcedure
    .input(Ask.extend({ user: z.string() }))
    .query(async ({ ctx: { db, caller, user, ...ctx }, input: { user: _, ...input } }) => {
      await audit(db, caller, "search.ask", user.userId);
      const similarity = ctx.search ?? (await ctx.embeddings.load());
      const open = await answer(db, toActingUser(user), input, { similarity, model: ctx.model });
      const toLinked = <Turn extends { link: string }>(turn: Turn): Turn => ({
        ...turn,
        link: ctx.publicUrl.get() + turn.link,
      });
      const sentences: Omit<Extract<AnswerLine, { kind: "sentence" }>, "kind">[] = [];
      for await (const line of open({ signal: new AbortController().signal, report: () => {} })) {
        if (line.kind === "end") {
          const { kind: _, ...end } = line;
          const meetings = end.meetings.map((meeting) => ({
            ...meeting,
            turns: meeting.turns.map(toLinked),
          }));
          return { sentences, ...end, meetings };
        }
        sentences.push({ text: line.text, quote: toLinked(line.quote) });
      }
      throw new Error("The answer has no end.");
    }),
};
