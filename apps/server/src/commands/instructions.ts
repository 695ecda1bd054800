import type { operatorManagement } from "@minutes/core";
import { Option } from "commander";
import { actAs, type OperatorCommand } from "./cli/command.js";
import { type Columns, confirm, formatTable, print, printDone, printTable } from "./cli/output.js";

type Operations = Pick<typeof operatorManagement, "instructions">;

/** Adds `minutes instructions …`. */
export function addInstructionsCommands(program: OperatorCommand<Operations>): void {
  const commands = program
    .command("instructions")
    .description("what a model is told about summaries: by a user and by their team");

  commands
    .add("list <user>", "list a user's instructions and their team's")
    .run(async ({ instructions }, user, options) => {
      const { personal, team } = await instructions.list.query({}, actAs({ user }));
      printTable(
        options,
        [
          ...personal.map((one) => ({ ...one, list: "personal" as const })),
          ...team.map((one) => ({ ...one, list: "team" as const })),
        ],
        COLUMNS,
      );
    });

  commands
    .add("create <user> <name>", "create an instruction, used for summaries from then on")
    .addOption(new Option("--list <list>", "which list").choices(["personal", "team"]).default("personal"))
    .option(...PROMPT)
    .option(...LANGUAGE)
    .option(...TAG)
    .option(...WORD)
    .option(...DEFAULT)
    .run(async ({ instructions }, user, name, { default: isDefault, json, ...facts }) => {
      const created = await instructions.create.mutate({ name, isDefault, ...facts }, actAs({ user }));
      print({ json }, created, formatTable([{ ...created, list: facts.list }], COLUMNS));
    });

  commands
    .add("update <user> <instruction>", "change an instruction of a user or their team, by its ID")
    .option("--name <name>", "name by which people choose it")
    .option(...PROMPT)
    .option(...LANGUAGE)
    .option("--no-language", "write as spoken")
    .option(...TAG)
    .option("--no-tag", "choose it for no tag")
    .option(...WORD)
    .option("--no-word", "choose it for no word")
    .option(...DEFAULT)
    .option("--no-default", "choose it for no other meetings")
    .run(async ({ instructions }, user, instructionId, { json, default: isDefault, ...change }) => {
      const { language, tag, word, ...rest } = change;
      const facts = {
        ...(language === undefined ? {} : { language: language === false ? null : language }),
        ...(tag === undefined ? {} : { tag: tag === false ? null : tag }),
        ...(word === undefined ? {} : { word: word === false ? null : word }),
      };
      const input = { instructionId, isDefault, ...rest, ...facts };
      const updated = await instructions.update.mutate(input, actAs({ user }));
      print({ json }, updated, [`${instructionId} is changed.`]);
    });

  commands
    .add("delete <user> <instruction>", "delete an instruction; summaries that it has produced stay")
    .option("--yes", "don't ask")
    .run(async ({ instructions }, user, instructionId, { yes, ...options }) => {
      await confirm(`Delete the instruction ${instructionId}?`, yes);
      await instructions.delete.mutate({ instructionId }, actAs({ user }));
      printDone(options, { id: instructionId }, `${instructionId} is deleted.`);
    });
}

const PROMPT = ["--prompt <text>", "what the summary should be like"] as const;
const LANGUAGE = ["--language <language>", "language of the summary, such as de or German"] as const;
const TAG = ["--tag <name>", "choose it for meetings with this tag"] as const;
const WORD = ["--word <text>", "choose it for meetings with this word in their title"] as const;
const DEFAULT = ["--default", "choose it for all other meetings"] as const;

interface Listed {
  readonly id: string;
  readonly list: string;
  readonly name: string;
  readonly language: string | null;
  readonly tag: string | null;
  readonly word: string | null;
  readonly isDefault: boolean;
}

const COLUMNS: Columns<Listed> = {
  ID: ({ id }) => id,
  LIST: ({ list }) => list,
  NAME: ({ name }) => name,
  LANGUAGE: ({ language }) => language ?? "as spoken",
  TAG: ({ tag }) => tag,
  WORD: ({ word }) => word,
  DEFAULT: ({ isDefault }) => (isDefault ? "yes" : null),
};
