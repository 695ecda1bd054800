import type { operatorManagement } from "@minutes/core";
import { Option } from "commander";
import { actAs, type OperatorCommand } from "./cli/command.js";
import { type CommonOptions, print } from "./cli/output.js";

type Operations = Pick<typeof operatorManagement, "vocabulary">;

/** Adds `minutes vocabulary …`. */
export function addVocabularyCommands(program: OperatorCommand<Operations>): void {
  const commands = program
    .command("vocabulary")
    .description("terms for the transcriber: a user's own and their team's");

  commands
    .add("list <user>", "list a user's terms and their team's")
    .run(async ({ vocabulary }, user, options) =>
      printVocabulary(options, await vocabulary.list.query({}, actAs({ user }))),
    );
  for (const [name, description] of [
    ["add", "add a term to a list"],
    ["remove", "remove a term from a list"],
  ] as const) {
    commands
      .add(`${name} <user> <term>`, description)
      .addOption(new Option("--list <list>", "which list").choices(["personal", "team"]).default("personal"))
      .run(async ({ vocabulary }, user, term, { list, ...options }) => {
        const as = actAs({ user });
        await vocabulary[name].mutate({ term, list }, as);
        printVocabulary(options, await vocabulary.list.query({}, as));
      });
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
