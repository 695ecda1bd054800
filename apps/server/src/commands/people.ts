import type { operations, operatorManagement } from "@minutes/core";
import type { inferProcedureOutput } from "@trpc/server";
import { actAs, type OperatorCommand, toWholeNumber } from "./cli/command.js";
import { type Columns, confirm, formatTable, print, printDone } from "./cli/output.js";
import { addErasePersonCommand } from "./erase-person.js";
import type { persons } from "./procedures/persons.js";

type Procedures = Pick<typeof operations, "people"> &
  Pick<typeof operatorManagement, "users"> & { persons: typeof persons };

/** Adds `minutes people …`. */
export function addPeopleCommands(program: OperatorCommand<Procedures>): void {
  const commands = program
    .command("people")
    .description("people in meetings, with or without an account, by ID, name or e-mail address");

  commands
    .add("list <workspace>", "list the people in members' meetings, by name")
    .option("--name <part>", "only people whose name contains this")
    .option("--limit <number>", "number of people, 1 to 100", toWholeNumber(1, 100))
    .option("--cursor <cursor>", "nextCursor of the previous page")
    .run(async ({ people }, workspace, { json, ...filters }) => {
      const page = await people.list.query(filters, actAs({ workspace }));
      const lines = formatTable(page.people, COLUMNS);
      print({ json }, page, lines, page.nextCursor === null ? [] : [`More: add --cursor ${page.nextCursor}`]);
    });

  commands
    .add("get <person>", "show a person; with --json, also their latest meetings and talk time")
    .run(async ({ people }, personId, options) => {
      const person = await people.get.query({ personId });
      print(options, person, formatTable([person], COLUMNS));
    });

  commands
    .add("update <person>", "change a person's name in all meetings")
    .requiredOption("--name <name>", "new name")
    .run(async ({ people }, personId, { name, ...options }) => {
      const updated = await people.update.mutate({ personId, name });
      printDone(options, updated, `${updated.personId} is renamed. Meetings follow in the background.`);
    });

  commands
    .add("merge <person>", "make a person the same as another, who stays")
    .requiredOption("--into <person>", "who stays")
    .option("--dry-run", "only count what would change")
    .option("--yes", "don't ask")
    .run(async ({ people }, personId, { into: intoId, dryRun = false, yes, ...options }) => {
      if (!dryRun) await confirm(`Merge ${personId} into ${intoId}?`, yes);
      const merged = await people.merge.mutate({ personId, intoId, dryRun });
      const counts = `${merged.meetings} meetings and ${merged.tasks} tasks`;
      printDone(
        options,
        merged,
        dryRun
          ? `Would change ${counts}.`
          : `${personId} is ${merged.personId}: ${counts} follow in the background.`,
      );
    });

  commands
    .add("unmerge <personId>", "undo a merge; give the ID of the person who was merged")
    .run(async ({ people }, personId, options) => {
      const separated = await people.unmerge.mutate({ personId });
      printDone(options, separated, `${personId} is a person again. Meetings follow in the background.`);
    });

  addErasePersonCommand(commands);
}

const COLUMNS: Columns<inferProcedureOutput<Procedures["people"]["list"]>["people"][number]> = {
  ID: ({ id }) => id,
  NAME: ({ name, confirmed }) => (confirmed ? name : `${name} (unconfirmed)`),
  EMAILS: ({ emails }) => emails.join(", ") || null,
  MEETINGS: ({ meetings }) => meetings,
  "OPEN TASKS": ({ openTasks }) => openTasks,
  "LAST MET": ({ lastMet }) => lastMet,
};
