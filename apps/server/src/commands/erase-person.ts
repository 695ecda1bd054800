import type { PersonReferences, TextPlace } from "@minutes/core";
import type { Operator, OperatorCommand } from "./cli/command.js";
import { UsageError } from "./cli/exit.js";
import { confirm, formatTable, print, withProgress } from "./cli/output.js";
import type { persons } from "./procedures/persons.js";
import type { users } from "./procedures/users.js";

const HELP = `
Without a confirmation it only lists. On confirmation it erases the person's account as "users delete" does, with their
meetings, keys, shares and sessions. In meetings and unfinished recordings of others it replaces their name and address, as a
speaker, an attendee and an assignee. Texts that mention the person are not changed: the report names the columns in which
the address still stands, and names in texts are not searched. The report has counts and ids, no content.`;

/** Where an address can't find the person. */
const NOT_SEARCHED =
  "Not searched and not changed: the name in transcripts, summaries, titles, tasks, tags and vocabulary; speakers without an address; webhook receivers, clients' copies, exports, backups and logs.";

type Persons = { persons: typeof persons; users: typeof users };

/** The report for data-protection records. */
interface ErasureReport {
  readonly erased: boolean;
  /** The state before the erasure. */
  readonly found: PersonReferences;
  /** Ids of the changed objects; empty if there were none. */
  readonly changed: { readonly meetingIds: readonly string[]; readonly recordingIds: readonly string[] };
  /** Columns that still contain the address. */
  readonly left: readonly TextPlace[];
  /**
   * True: the embedded database's files no longer contain anything of it. False: within an hour. Null: PostgreSQL, or
   * not erased.
   */
  readonly filesSwept: boolean | null;
  readonly notSearched: string;
}

/** Adds `minutes people …`. */
export function addPeopleCommands(program: OperatorCommand<Persons>): void {
  const commands = program
    .command("people")
    .description("people in meetings, with or without an account; found by e-mail address");

  commands.add("show <email>", "list where a person occurs").run(async ({ persons }, email, options) => {
    const found = await persons.find.query({ email });
    print(options, found, describeTraces(found));
  });

  commands
    .add("erase <email>", "list where a person occurs, and erase them after confirmation")
    .option("--yes", "erase without asking")
    .option("--confirm <email>", "erase if this repeats the address")
    .addHelpText("after", HELP)
    .run(async (operator, email: string, { yes, confirm: repeated, ...options }) => {
      if (repeated !== undefined && repeated.toLowerCase() !== email.toLowerCase())
        throw new UsageError("--confirm has a different address. Nothing was changed.");
      const found = await operator.persons.find.query({ email });
      if (!options.json) print(options, found, describeTraces(found));
      let isConfirmed = yes === true || repeated !== undefined;
      if (!isConfirmed && !options.json && process.stdin.isTTY && process.stderr.isTTY) {
        await confirm("Erase or replace all of this?", false);
        isConfirmed = true;
      }
      const report = isConfirmed ? await erase(operator, email, found) : describeNothingDone(found);
      print(options, report, [], describeReport(report));
    });
}

const describeNothingDone = (found: PersonReferences): ErasureReport => ({
  erased: false,
  found,
  changed: { meetingIds: [], recordingIds: [] },
  left: found.address,
  filesSwept: null,
  notSearched: NOT_SEARCHED,
});

/** Erases a person step by step. Each step is atomic, and a rerun continues after an interruption. */
async function erase(
  operator: Operator<Persons>,
  email: string,
  found: PersonReferences,
): Promise<ErasureReport> {
  // First, so that the following steps find only other users' meetings.
  if (found.account) await operator.users.delete.mutate({ user: email });
  const changed: string[] = [];
  await withProgress(found.others.meetingIds.length, "other users' meetings", async (progress) => {
    for (;;) {
      const { meetingIds } = await operator.persons.eraseFromMeetings.mutate({ email });
      if (meetingIds.length === 0) return;
      changed.push(...meetingIds);
      progress.update(changed.length);
    }
  });
  const { recordingIds } = await operator.persons.eraseAddress.mutate({ email });
  const left = await operator.persons.findAddress.query({ email });
  const { swept } = await operator.persons.sweepFiles.mutate();
  return {
    ...{ erased: true, found, changed: { meetingIds: changed, recordingIds } },
    ...{ left, filesSwept: swept, notSearched: NOT_SEARCHED },
  };
}

function describeTraces({ account, others, ...found }: PersonReferences): string[] {
  const counts = [
    { what: account ? `account ${account.userId}` : "account", count: account ? 1 : 0 },
    { what: "own meetings", count: account?.meetings ?? 0 },
    { what: "own unfinished recordings", count: account?.unfinishedRecordings ?? 0 },
    { what: "other users' meetings", count: others.meetingIds.length },
    { what: "as a speaker", count: others.participants },
    { what: "as an attendee", count: others.attendees },
    { what: "as an assignee of tasks", count: others.assignedTasks },
    { what: "other users' unfinished recordings", count: others.recordingIds.length },
    { what: "speakers with the same name and no address (kept)", count: others.sameName },
    { what: "invitations", count: found.invitations },
    { what: "counters of sign-in attempts", count: found.signInAttempts },
  ];
  return [
    ...formatTable(counts, { FOUND: ({ what }) => what, COUNT: ({ count }) => count }),
    ...(account && account.references.length > 0
      ? ["", ...describePlaces("ACCOUNT'S ID IN", account.references)]
      : []),
    ...(found.address.length > 0 ? ["", ...describePlaces("ADDRESS IN", found.address)] : []),
  ];
}

const describePlaces = (heading: string, places: readonly TextPlace[]): string[] =>
  formatTable(places, {
    [heading]: ({ table, column }) => `${table}.${column}`,
    ROWS: ({ rows }) => rows,
  });

const describeFiles = (swept: boolean | null): string[] => {
  if (swept === null) return [];
  return swept
    ? ["The database's files no longer contain it."]
    : ["The database's files keep it for up to an hour, because a backup is running."];
};

function describeReport({ erased, changed, left, filesSwept, notSearched }: ErasureReport): string[] {
  if (!erased) return ["Nothing was changed: add --yes to erase.", notSearched];
  const places = left.map(({ table, column, rows }) => `${table}.${column} (${rows})`).join(", ");
  return [
    `Erased. Replaced in ${changed.meetingIds.length} meetings and ${changed.recordingIds.length} unfinished recordings of other users.`,
    left.length === 0
      ? "No column contains the address anymore."
      : `Texts still contain the address: ${places}.`,
    ...describeFiles(filesSwept),
    notSearched,
  ];
}
