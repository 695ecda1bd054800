import type { operatorManagement } from "@minutes/core";
import type { inferProcedureOutput } from "@trpc/server";
import { actAs, type OperatorCommand } from "./cli/command.js";
import { type Columns, confirm, formatTable, print, printDone, printTable } from "./cli/output.js";

type Operations = Pick<typeof operatorManagement, "tags">;

/** Adds `minutes tags …`. */
export function addTagsCommands(program: OperatorCommand<Operations>): void {
  const commands = program.command("tags").description("the tags of users' meetings");

  commands
    .add("list <user>", "list a user's tags and the members each is shared with")
    .run(async (operator, user, options) => {
      const { tags } = await operator.tags.list.query({}, actAs({ user }));
      printTable(options, tags, COLUMNS);
    });

  commands
    .add("get <tag>", "show a tag and the members it is shared with")
    .run(async ({ tags }, tagId, options) => {
      const tag = await tags.get.query({ tagId });
      print(options, tag, formatTable([tag], COLUMNS));
    });

  commands
    .add("create <user> <name>", "create a tag of a user")
    .run(async ({ tags }, user, name, options) => {
      const tag = await tags.create.mutate({ name }, actAs({ user }));
      print(options, tag, [`${tag.id}  ${tag.name}`]);
    });

  commands
    .add("update <tag>", "change a tag's name on all its meetings")
    .requiredOption("--name <name>", "the new name")
    .run(async ({ tags }, tagId, { name, ...options }) => {
      await tags.update.mutate({ tagId, name });
      printDone(options, { id: tagId, name }, `${tagId} is renamed.`);
    });

  commands
    .add("delete <tag>", "delete a tag, remove it from its meetings and end its shares")
    .option("--yes", "don't ask")
    .run(async ({ tags }, tagId, { yes, ...options }) => {
      await confirm(`Delete the tag ${tagId}?`, yes);
      await tags.delete.mutate({ tagId });
      printDone(options, { id: tagId }, `${tagId} is deleted.`);
    });
}

const COLUMNS: Columns<inferProcedureOutput<Operations["tags"]["get"]>> = {
  ID: ({ id }) => id,
  NAME: ({ name }) => name,
  MEETINGS: ({ meetings }) => meetings,
  "SHARED WITH": ({ sharedWith }) => sharedWith.map((reader) => reader.email).join(", ") || null,
};
