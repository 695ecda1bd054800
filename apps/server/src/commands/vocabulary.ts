import { VocabularyList, VocabularyTerm } from "@minutes/contract";
import { addTerm, listVocabulary, removeTerm } from "@minutes/core";
import { Option } from "commander";
import { z } from "zod";
import type { OperatorCommand } from "./cli/command.js";
import { type CommonOptions, print } from "./cli/output.js";
import { UserRef, userProcedure } from "./operator/procedures.js";

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

/** Adds `minutes vocabulary …`. */
export function addVocabularyCommands(program: OperatorCommand<{ vocabulary: typeof vocabulary }>): void {
  const commands = program
    .command("vocabulary")
    .description("terms for the transcriber: a user's own and their team's");

  commands
    .add("list <user>", "list a user's terms and their team's")
    .run(async ({ vocabulary }, user, options) =>
      printVocabulary(options, await vocabulary.list.query({ user })),
    );
  for (const [name, description] of [
    ["add", "add a term to a list"],
    ["remove", "remove a term from a list"],
  ] as const) {
    commands
      .add(`${name} <user> <term>`, description)
      .addOption(new Option("--list <list>", "which list").choices(["personal", "team"]).default("personal"))
      .run(async ({ vocabulary }, user, term, { list, ...options }) =>
        printVocabulary(options, await vocabulary[name].mutate({ user, term, list })),
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
