import { type Command, Option } from "commander";
import type { OutputOf } from "../operations/index.js";
import { type Common, print } from "./output.js";
import { addCommand, withOperations } from "./run.js";

const show = (options: Common, vocabulary: OutputOf<"vocabulary.list">): void =>
  print(options, vocabulary, [
    ...vocabulary.personal.map((term) => `personal  ${term}`),
    ...vocabulary.team.map((term) => `team      ${term}`),
  ]);

/** `minutes vocabulary …` */
export function addVocabulary(program: Command): void {
  const vocabulary = program
    .command("vocabulary")
    .description("terms that a transcriber has to know: a user's own and his team's");
  const listOption = () =>
    new Option("--list <list>", "which list").choices(["personal", "team"]).default("personal");

  addCommand(vocabulary, "list <email>", "list a user's terms and his team's").action(
    async (email, options) => {
      show(options, await withOperations(({ run }) => run("vocabulary.list", { email })));
    },
  );
  for (const [name, description] of [
    ["add", "put a term on a list"],
    ["remove", "take a term off a list"],
  ] as const) {
    addCommand(vocabulary, `${name} <email> <term>`, description)
      .addOption(listOption())
      .action(async (email, term, { list, ...options }) => {
        show(options, await withOperations(({ run }) => run(`vocabulary.${name}`, { email, term, list })));
      });
  }
}
