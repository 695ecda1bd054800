import { Email, VocabularyList, VocabularyTerm } from "@minutes/contract";
import { addTerm, listVocabulary, removeTerm } from "@minutes/core";
import { Option } from "commander";
import { z } from "zod";
import type { OperatorCommand } from "./cli/command.js";
import { type CommonOptions, print } from "./cli/output.js";
import { UserRef, userProcedure } from "./operator/procedures.js";

const Term = z.strictObject({ email: Email, list: VocabularyList.default("personal"), term: VocabularyTerm });

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

/** Adds `minutes vocabulary …`. */
export function addVocabularyCommands(program: OperatorCommand<{ vocabulary: typeof vocabulary }>): void {
  const commands = program
    .command("vocabulary")
    .description("terms for the transcriber: a user's own and their team's");

  commands
    .add("list <email>", "list a user's terms and their team's")
    .run(async ({ vocabulary }, email, options) =>
      printVocabulary(options, await vocabulary.list.query({ email })),
    );
  for (const [name, description] of [
    ["add", "add a term to a list"],
    ["remove", "remove a term from a list"],
  ] as const) {
    commands
      .add(`${name} <email> <term>`, description)
      .addOption(new Option("--list <list>", "which list").choices(["personal", "team"]).default("personal"))
      .run(async ({ vocabulary }, email, term, { list, ...options }) =>
        printVocabulary(options, await vocabulary[name].mutate({ email, term, list })),
      );
  }
}

const printVocabulary = (
  options: CommonOptions,
  vocabulary: { readonly personal: readonly string[]; readonly team: readonly string[] },
): void =>
  print(options, vocabulary, [
    ...vocabulary.personal.map((term) => `personal  ${term}`),
    ...vocabulary.team.map((term) => `team      ${term}`),
  ]);
