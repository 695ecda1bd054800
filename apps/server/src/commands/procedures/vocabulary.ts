import { VocabularyList, VocabularyTerm } from "@minutes/contract";
import { addTerm, listVocabulary, removeTerm } from "@minutes/core";
import { z } from "zod";
import { UserRef, userProcedure } from "../operator/procedures.js";

const Term = z.strictObject({
  user: z.string(),
  list: VocabularyList.default("personal"),
  term: VocabularyTerm,
});

/** Terms of a user and of their team. Each procedure returns both lists. */
export const vocabulary = {
  list: userProcedure.input(UserRef).query(({ ctx }) => listVocabulary(ctx.db, ctx.user)),
  add: userProcedure.input(Term).mutation(async ({ ctx: { db, actor, user }, input: { list, term } }) => {
    await addTerm(db, actor, user.userId, list, term);
    return listVocabulary(db, user);
  }),
  remove: userProcedure.input(Term).mutation(async ({ ctx: { db, actor, user }, input: { list, term } }) => {
    await removeTerm(db, actor, user.userId, list, term);
    return listVocabulary(db, user);
  }),
};
