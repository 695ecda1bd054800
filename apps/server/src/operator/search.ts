import { Email, MESSAGES, NoInput, SearchMeetings } from "@minutes/contract";
import { ApiError, audit, toSearchScope, visibleTo } from "@minutes/core";
import { countOutdated, explainRanking, reindexSome, setSearchLanguage } from "@minutes/search";
import { z } from "zod";
import { operatorProcedure, userProcedure } from "./procedures.js";

/** Meetings per step of reindexing: few, so that progress shows and requests get their turn in between. */
const STEP = 5;

export const search = {
  /** Sets the search language where one is given, then counts the meetings that have to be indexed again. */
  prepareReindex: operatorProcedure
    .input(z.strictObject({ language: z.string().optional() }))
    .mutation(async ({ ctx: { db }, input: { language } }) => {
      if (language !== undefined && !(await setSearchLanguage(db, language)))
        throw new ApiError("BAD_REQUEST", MESSAGES.unknownSearchLanguage);
      return { outdated: await countOutdated(db) };
    }),
  /** Indexes a few of those meetings; `done` is 0 when none is left. */
  reindex: operatorProcedure
    .input(NoInput)
    .mutation(async ({ ctx }) => ({ done: await reindexSome(ctx.db, STEP) })),
  /**
   * Searches as a user does, and says why each result is where it is: the parts of its score. The audit log keeps that it
   * was done, and for whom.
   */
  explain: userProcedure
    .input(SearchMeetings.extend({ email: Email }))
    .query(async ({ ctx: { db, actor, user, ...ctx }, input: { email: _, ...input } }) => {
      await audit(db, actor, "search.explain", user.userId);
      const similarity = ctx.search ?? (await ctx.embeddings.load());
      return explainRanking(db, toSearchScope(visibleTo(user)), input, similarity);
    }),
};
