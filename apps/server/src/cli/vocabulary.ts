import { type Command, Option } from "commander";
import type { OperatorOutputs } from "../operator/router.js";
import { type CommonOptions, print } from "./output.js";
import { addCommand, withOperator } from "./run.js";

/** Adds `minutes vocabulary …`. */
export function addVocabularyCommands(program: Command): void {
  const vocabulary = program
    .command("vocabulary")
    .description("terms that a transcriber has to know: a user's own and their team's");

  addCommand(vocabulary, "list <email>", "list a user's terms and their team's").action(
    async (email, options) => {
      printVocabulary(options, await withOperator(({ vocabulary }) => vocabulary.list.query({ email })));
    },
  );
  for (const [name, description] of [
    ["add", "add a term to a list"],
    ["remove", "remove a term from a list"],
  ] as const) {
    addCommand(vocabulary, `${name} <email> <term>`, description)
      .addOption(new Option("--list <list>", "which list").choices(["personal", "team"]).default("personal"))
      .action(async (email, term, { list, ...options }) => {
        const change = { email, term, list };
        printVocabulary(options, await withOperator(({ vocabulary }) => vocabulary[name].mutate(change)));
      });
  }
}

const printVocabulary = (options: CommonOptions, vocabulary: OperatorOutputs["vocabulary"]["list"]): void =>
  print(options, vocabulary, [
    ...vocabulary.personal.map((term) => `personal  ${term}`),
    ...vocabulary.team.map((term) => `team      ${term}`),
  ]);
