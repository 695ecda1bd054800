import { Email, VocabularyList, VocabularyTerm } from "@minutes/contract";
import { addTerm, findUser, OPERATOR, removeTerm, vocabularyOf } from "@minutes/core";
import { z } from "zod";
import { operation } from "./operation.js";

const Term = z.strictObject({ email: Email, list: VocabularyList.default("personal"), term: VocabularyTerm });

export const vocabularyOperations = {
  /** A user's own terms and those of his team. */
  "vocabulary.list": operation(z.strictObject({ email: Email }), async ({ db }, { email }) =>
    vocabularyOf(db, await findUser(db, email)),
  ),

  "vocabulary.add": operation(Term, async ({ db }, { email, list, term }) => {
    const user = await findUser(db, email);
    await addTerm(db, OPERATOR, user.userId, list, term);
    return vocabularyOf(db, user);
  }),

  "vocabulary.remove": operation(Term, async ({ db }, { email, list, term }) => {
    const user = await findUser(db, email);
    await removeTerm(db, OPERATOR, user.userId, list, term);
    return vocabularyOf(db, user);
  }),
};
