import type { PersonTraces, TextPlace } from "@minutes/core";
import type { Command } from "commander";
import type { Operator } from "../operator/client.js";
import { UsageError } from "./failure.js";
import { confirm, formatTable, note, print, withProgress } from "./output.js";
import { addCommand, withOperator } from "./run.js";

const HELP = `
Without a confirmation it only lists. On confirmation it erases the person's account as "users remove" does, with their
meetings, keys, shares and sessions. In meetings and unfinished recordings of others it replaces their name and address, as a
speaker, an attendee and an assignee. Texts that mention the person are not changed: the report names the columns in which
the address still stands, and names in texts are not searched. The report has counts and ids, no content.`;

/** What can't be found by an address. */
const NOT_SEARCHED =
  "Not searched and not changed: the name in transcripts, summaries, titles, tasks, tags and vocabulary; speakers without an address; receivers of webhooks, clients' copies, exports, backups and logs.";

/** The report for the data-protection file. */
interface ErasureReport {
  readonly erased: boolean;
  /** As it was before. */
  readonly found: PersonTraces;
  /** Ids of what was changed; empty when nothing was. */
  readonly changed: { readonly meetingIds: readonly string[]; readonly recordingIds: readonly string[] };
  /** Columns in which the address still stands. */
  readonly left: readonly TextPlace[];
  readonly notSearched: string;
}

/** Adds `minutes erase-person`. */
export function addErasePersonCommands(program: Command): void {
  addCommand(program, "erase-person <email>", "list where a person stands, and erase them on confirmation")
    .option("--yes", "erase without asking")
    .option("--confirm <email>", "erase if this is the address again")
    .addHelpText("after", HELP)
    .action(async (email: string, { yes, confirm: repeated, ...options }) => {
      if (repeated !== undefined && repeated.toLowerCase() !== email.toLowerCase())
        throw new UsageError("The address of --confirm is another one. Nothing was changed.");
      await withOperator(async (operator) => {
        const found = await operator.persons.find.query({ email });
        if (!options.json) print(options, found, describeTraces(found));
        let isConfirmed = yes === true || repeated !== undefined;
        if (!isConfirmed && !options.json && process.stdin.isTTY && process.stderr.isTTY) {
          await confirm("Erase or replace all of this?", false);
          isConfirmed = true;
        }
        const report = isConfirmed ? await erase(operator, email, found) : describeNothingDone(found);
        if (options.json) print(options, report, []);
        else for (const sentence of describeReport(report)) note(sentence);
      });
    });
}

const describeNothingDone = (found: PersonTraces): ErasureReport => ({
  erased: false,
  found,
  changed: { meetingIds: [], recordingIds: [] },
  left: found.address,
  notSearched: NOT_SEARCHED,
});

/** Erases a person step by step. Each step is whole, and a repeat goes on where an interrupted one stopped. */
async function erase(operator: Operator, email: string, found: PersonTraces): Promise<ErasureReport> {
  // First, so that the steps below find nothing but meetings of others.
  if (found.account) await operator.users.remove.mutate({ email });
  const changed: string[] = [];
  await withProgress(found.others.meetingIds.length, "meetings of others", async (progress) => {
    for (;;) {
      const { meetingIds } = await operator.persons.eraseFromMeetings.mutate({ email });
      if (meetingIds.length === 0) return;
      changed.push(...meetingIds);
      progress.update(changed.length);
    }
  });
  const { recordingIds } = await operator.persons.eraseAddress.mutate({ email });
  const left = await operator.persons.findAddress.query({ email });
  return {
    ...{ erased: true, found, changed: { meetingIds: changed, recordingIds } },
    ...{ left, notSearched: NOT_SEARCHED },
  };
}

function describeTraces({ account, others, ...found }: PersonTraces): string[] {
  const counts = [
    { what: account ? `account ${account.userId}` : "account", count: account ? 1 : 0 },
    { what: "own meetings", count: account?.meetings ?? 0 },
    { what: "own unfinished recordings", count: account?.unfinishedRecordings ?? 0 },
    { what: "meetings of others", count: others.meetingIds.length },
    { what: "there as a speaker", count: others.participants },
    { what: "there as an attendee", count: others.attendees },
    { what: "there as an assignee of tasks", count: others.assignedTasks },
    { what: "unfinished recordings of others", count: others.recordingIds.length },
    { what: "speakers of the same name without an address (stay)", count: others.sameName },
    { what: "invitations", count: found.invitations },
    { what: "counts of attempts to sign in", count: found.signInAttempts },
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

function describeReport({ erased, changed, left, notSearched }: ErasureReport): string[] {
  if (!erased) return ["Nothing was changed: add --yes to erase.", notSearched];
  const places = left.map(({ table, column, rows }) => `${table}.${column} (${rows})`).join(", ");
  return [
    `Erased. Replaced in ${changed.meetingIds.length} meetings and ${changed.recordingIds.length} unfinished recordings of others.`,
    left.length === 0
      ? "The address stands in no column any more."
      : `The address still stands in texts: ${places}.`,
    notSearched,
  ];
}
