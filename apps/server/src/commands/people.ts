import type { operations, operatorManagement } from "@minutes/core";
import type { inferProcedureOutput } from "@trpc/server";
import { actAs, type Operator, type OperatorCommand, toWholeNumber } from "./cli/command.js";
import { EXIT, UsageError } from "./cli/exit.js";
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
      await requireConfirmed(people, personId);
      const updated = await people.update.mutate({ personId, name });
      printDone(options, updated, `${updated.personId} is renamed. Meetings follow in the background.`);
    });

  commands
    .add("merge <person>", "make a person the same as another, who stays")
    .requiredOption("--into <person>", "who stays")
    .option("--dry-run", "only count what would change")
    .option("--yes", "don't ask")
    .run(async ({ people }, personId, { into: intoId, dryRun = false, yes, ...options }) => {
      for (const id of [personId, intoId]) await requireConfirmed(people, id);
      if (!dryRun) {
        const found = await people.merge.mutate({ personId, intoId, dryRun: true });
        await confirm(
          `Merge ${personId} into ${intoId}?`,
          yes,
          `${found.meetings} meetings and ${found.tasks} tasks will refer to one person; "people unmerge" undoes it`,
        );
      }
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

  addConfirmCommand(commands);
  addErasePersonCommand(commands);
}

type People = Operator<Procedures>["people"];

/** Requires that somebody has said who a person is. @throws UsageError with the way out */
async function requireConfirmed(people: People, personId: string): Promise<void> {
  const { confirmed } = await people.get.query({ personId });
  if (!confirmed)
    throw new UsageError(
      `${personId} is known only by name. Say who they are first: minutes people confirm ${personId} --into <person>, or --name <name> --email <address>.`,
    );
}

function addConfirmCommand(commands: OperatorCommand<Procedures>): void {
  commands
    .add("confirm <person>", "say who an unconfirmed person is, in all meetings with exactly this name")
    .option("--into <person>", "the person they are")
    .option("--name <name>", "name of a new person")
    .option("--email <address>", "e-mail address: the person who has it, or a new one")
    .run(async ({ people }, personId, { into, name, email, ...options }) => {
      if (into === undefined && name === undefined && email === undefined)
        throw new UsageError("Say who they are: --into <person>, --name <name> or --email <address>.");
      if (into !== undefined && email !== undefined)
        throw new UsageError("--into names a person, who has addresses: leave --email out.");
      const { name: listed } = await people.get.query({ personId });
      const who = into === undefined ? { name: name ?? listed, email } : { intoId: into, name };
      let edited = await people.confirm.mutate({ personId, ...who });
      const meetings = [...edited.meetings];
      // A call edits a part of the meetings. One that edits none would repeat itself.
      while (edited.nextId !== null && edited.meetings.length > 0) {
        edited = await people.confirm.mutate({ personId: edited.nextId, intoId: edited.personId, name });
        meetings.push(...edited.meetings);
      }
      const { personId: known, remaining } = edited;
      if (remaining > 0) process.exitCode = EXIT.failed;
      const left = remaining === 0 ? "" : ` ${remaining} meetings are left: repeat the command.`;
      printDone(
        options,
        { personId: known, meetings, remaining },
        `${personId} is ${known} in ${meetings.length} meetings.${left}`,
      );
    });
}

const COLUMNS: Columns<inferProcedureOutput<Procedures["people"]["list"]>["people"][number]> = {
  ID: ({ id }) => id,
  NAME: ({ name, confirmed }) => (confirmed ? name : `${name} (unconfirmed)`),
  EMAILS: ({ emails }) => emails.join(", ") || null,
  MEETINGS: ({ meetings }) => meetings,
  "OPEN TASKS": ({ openTasks }) => openTasks,
  "LAST MET": ({ lastMet }) => lastMet,
};
