import { setTimeout as sleep } from "node:timers/promises";
import type { operatorManagement, PersonReferences, Sought, TextPlace } from "@minutes/core";
import type { Operator, OperatorCommand } from "./cli/command.js";
import { EXIT, UsageError } from "./cli/exit.js";
import { confirm, formatTable, note, print, withProgress } from "./cli/output.js";
import { createEraseHeldOption, requireEraseHeld } from "./membership.js";
import type { persons } from "./procedures/persons.js";

const HELP = `
A person is an e-mail address or the ID of a person in meetings, per_…, which includes their addresses. If an erasure by ID is
interrupted, repeat it with the addresses that it printed. If somebody merged the owner of an address with others, an erasure by
address takes only that address out, and lists the others. Give the ID to erase them all.

The ID of an unconfirmed person, as "people list" shows it, erases everybody in the workspace known only by exactly this name,
who may be several people. Nobody who is confirmed is replaced. List again afterwards: the name has another ID in what is left
after an interruption, and in imports and recordings that were under way.

Without a confirmation it only lists. On confirmation it erases the person's account as "users delete" does, with their
meetings, keys, shares and sessions. In meetings and unfinished recordings of others it replaces their name and address, as a
speaker, an attendee and an assignee. Texts that mention the person are not changed: the report names the columns in which
the address still stands, and those whose value is the person's name. If any other column identifies the person in the end,
the command ends with 1. The report has counts and ids, and the addresses of
people who were merged with the person; otherwise no content.`;

/** Where an address, an ID or a name as a value can't find the person. */
const NOT_SEARCHED =
  "Not searched and not changed: the name within transcripts, summaries, titles, tasks, tags and vocabulary; speakers without an address; webhook receivers, clients' copies, exports, backups and logs.";

type Persons = Pick<typeof operatorManagement, "users"> & { persons: typeof persons };

/** The report for data-protection records. */
interface ErasureReport {
  /** ID of the erasure in the audit log; null if nothing was erased. */
  readonly id: string | null;
  readonly erased: boolean;
  /** The state before the erasure. */
  readonly found: PersonReferences;
  /** Ids of the changed objects; empty if there were none. */
  readonly changed: { readonly meetingIds: readonly string[]; readonly recordingIds: readonly string[] };
  /** Columns that still contain an address or ID of the person. */
  readonly left: readonly TextPlace[];
  /** Columns that still have one of the person's names as a whole value. It can be somebody else's. */
  readonly namesLeft: readonly TextPlace[];
  /**
   * False: a column that isn't free text still identifies the person, transactions that began before the erasure still ran when
   * it ended, or meetings with the person were still being stored: repeat the erasure. Null: not erased.
   */
  readonly complete: boolean | null;
  /**
   * True: the embedded database's files no longer contain anything of it. False: within an hour. Null: PostgreSQL, or
   * not erased.
   */
  readonly filesSwept: boolean | null;
  readonly notSearched: string;
}

/** Adds `minutes people erase`. */
export function addErasePersonCommand(commands: OperatorCommand<Persons>): void {
  commands
    .add("erase <emailOrId>", "list where a person occurs, and erase them after confirmation")
    .option("--yes", "erase without asking")
    .option("--confirm <emailOrId>", "erase if this repeats the address or ID")
    .addOption(createEraseHeldOption())
    .addHelpText("after", HELP)
    .run(async (operator, person: string, { yes, confirm: repeated, eraseHeld, ...options }) => {
      if (repeated !== undefined && repeated.toLowerCase() !== person.toLowerCase())
        throw new UsageError("--confirm has a different address or ID. Nothing was changed.");
      // A name would find texts that have it instead of a person.
      if (!/@|^per_/.test(person))
        throw new UsageError(
          "Give the person's e-mail address or ID (per_…): several people can have one name. minutes people list <workspace> --name <name> shows their IDs.",
        );
      const sought = await operator.persons.identify.query({ person });
      const found = await operator.persons.find.query(sought);
      if (!options.json)
        print(options, found, describeTraces(found, sought), [
          ...describeMerged(found),
          ...describeAddresses(sought),
          ...describeFormerAddresses(found),
        ]);
      let isConfirmed = yes === true || repeated !== undefined;
      if (!isConfirmed && !options.json && process.stdin.isTTY && process.stderr.isTTY) {
        requireEraseHeld(found.own.held, eraseHeld, found.others.held);
        const held = found.own.held + found.others.held;
        await confirm(
          `Erase or replace all of this${held === 0 ? "" : `, also in ${held} meetings on hold`}?`,
          false,
        );
        isConfirmed = true;
      } else if (isConfirmed) requireEraseHeld(found.own.held, eraseHeld, found.others.held);
      const report = isConfirmed
        ? await erase(operator, sought, found, eraseHeld)
        : describeNothingDone(found, await operator.persons.findNames.query(sought));
      print(options, report, [], describeReport(report));
      if (report.complete !== false) return;
      process.exitCode = EXIT.failed;
      note(describeIncomplete(report));
    });
}

const describeNothingDone = (
  found: PersonReferences,
  namesLeft: ErasureReport["namesLeft"],
): ErasureReport => ({
  id: null,
  erased: false,
  found,
  changed: { meetingIds: [], recordingIds: [] },
  left: found.places,
  namesLeft,
  complete: null,
  filesSwept: null,
  notSearched: NOT_SEARCHED,
});

/** Maximum number of searches for the person. */
const PASSES = 10;
/** Timeout in ms for transactions that began before a search: longer than an import can take. */
const PATIENCE = 90_000;
/** Poll interval in ms while they run. */
const LOOK = 100;

/**
 * Erases a person step by step. Each step is atomic, and a rerun continues after an interruption. Then waits for everything that
 * was being written, and repeats the search until it finds nothing: an import that began before can end after a step.
 */
async function erase(
  operator: Operator<Persons>,
  sought: Sought,
  found: PersonReferences,
  eraseHeld: boolean | undefined,
): Promise<ErasureReport> {
  const { id } = await operator.persons.recordErasure.mutate();
  // First, so that the following steps find only other users' meetings.
  for (const { userId } of found.accounts) await operator.users.delete.mutate({ user: userId, eraseHeld });
  const changed = { meetingIds: new Set<string>(), recordingIds: new Set<string>() };
  let isGone = false;
  await withProgress(found.others.meetingIds.length, "other users' meetings", async (progress) => {
    for (let pass = 0; pass < PASSES && !isGone; pass++) {
      const isQuiet = pass > 0 && (await awaitWrites(operator));
      const meetingIds = await eraseFromAllMeetings(operator, { ...sought, eraseHeld }, (ids) => {
        for (const id of ids) changed.meetingIds.add(id);
        progress.update(changed.meetingIds.size);
      });
      const { recordingIds } = await operator.persons.eraseElsewhere.mutate(sought);
      for (const id of recordingIds) changed.recordingIds.add(id);
      const { personIds, renamedIds } = await operator.persons.eraseFromDirectories.mutate(sought);
      if (!(await settle(operator, renamedIds))) return;
      // Nothing that began before the first pass runs any more, and nothing was found since.
      isGone = isQuiet && meetingIds.size + recordingIds.length + personIds.length === 0;
      if (pass > 0 && !isQuiet) return;
    }
  });
  const left = await operator.persons.findPlaces.query(sought);
  const namesLeft = await operator.persons.findNames.query(sought);
  const complete = isGone && left.every(({ isFreeText }) => isFreeText);
  const { swept } = await operator.persons.sweepFiles.mutate();
  return {
    ...{ id, erased: true, found, left, namesLeft, complete, filesSwept: swept, notSearched: NOT_SEARCHED },
    changed: { meetingIds: [...changed.meetingIds], recordingIds: [...changed.recordingIds] },
  };
}

/**
 * Erases a person from other users' meetings in batches, until a batch changes no further meeting.
 * @returns the IDs of the changed meetings
 */
async function eraseFromAllMeetings(
  { persons }: Operator<Persons>,
  sought: Sought & { readonly eraseHeld: boolean | undefined },
  onChanged: (ids: readonly string[]) => void,
): Promise<Set<string>> {
  const changed = new Set<string>();
  for (;;) {
    const { meetingIds } = await persons.eraseFromMeetings.mutate(sought);
    onChanged(meetingIds);
    // A meeting that can't be changed is found again: report it instead of looping forever.
    if (meetingIds.every((id) => changed.has(id))) return changed;
    for (const id of meetingIds) changed.add(id);
  }
}

/** Maximum number of `settle` calls; each takes a few seconds. */
const MAX_SETTLE_CALLS = 500;

/** Propagates renamed people to their meetings. @returns false if that isn't finished after `MAX_SETTLE_CALLS` */
async function settle({ persons }: Operator<Persons>, personIds: readonly string[]): Promise<boolean> {
  for (let calls = 0; calls < MAX_SETTLE_CALLS; calls++)
    if ((await persons.settle.mutate({ personIds })).settled) return true;
  return false;
}

/** Waits until the transactions that write now have ended. @returns false if some still run after `PATIENCE` */
async function awaitWrites({ persons }: Operator<Persons>): Promise<boolean> {
  const until = performance.now() + PATIENCE;
  for (let running = await persons.listWrites.query(); running.length > 0; await sleep(LOOK)) {
    if (performance.now() > until) return false;
    const still = new Set(await persons.listWrites.query());
    running = running.filter((id) => still.has(id));
  }
  return true;
}

/** Names the people who are merged with the person and stay. */
const describeMerged = ({ mergedWith }: PersonReferences): string[] =>
  mergedWith.length === 0
    ? []
    : [
        "",
        ...formatTable(
          mergedWith.flatMap(({ workspaceId, people }) => people.map((one) => ({ workspaceId, ...one }))),
          {
            "MERGED WITH (STAYS)": ({ personId }) => personId,
            ADDRESSES: ({ emails }) => emails.join(", ") || null,
            WORKSPACE: ({ workspaceId }) => workspaceId,
          },
        ),
        "Give one of these IDs to erase them together.",
      ];

/** Says which addresses belong to an ID. */
const describeAddresses = ({ personIds, emails }: Sought): string[] =>
  personIds.length > 0 && emails.length > 0 ? [`Addresses: ${emails.join(", ")}`] : [];

/** Warns that an account may have had another address, which is left only in meetings. */
const describeFormerAddresses = ({ accounts }: PersonReferences): string[] =>
  accounts.flatMap(({ userId, addressSetAt }) =>
    addressSetAt === null
      ? []
      : [
          `${userId} may have had another address until ${addressSetAt}. Meetings keep it: erase the person under that address, too, unless somebody else has it now.`,
        ],
  );

function describeTraces(
  { accounts, own, others, ...found }: PersonReferences,
  { isGuess }: Sought,
): string[] {
  const counts = [
    { what: ["account", ...accounts.map(({ userId }) => userId)].join(" "), count: accounts.length },
    { what: "own meetings", count: own.meetings },
    { what: "own meetings on hold", count: own.held },
    { what: "own unfinished recordings", count: own.unfinishedRecordings },
    {
      what: isGuess ? "meetings in which somebody of this name spoke" : "other users' meetings",
      count: others.meetingIds.length,
    },
    { what: "other users' meetings on hold", count: others.held },
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
    ...accounts.flatMap(({ references }) => describePlaces("ACCOUNT'S ID IN", references)),
    ...describePlaces("ADDRESS OR ID IN", found.places),
  ];
}

/** Formats columns as a table below an empty line; nothing if there are none. */
const describePlaces = (heading: string, places: readonly TextPlace[]): string[] => {
  if (places.length === 0) return [];
  return [
    "",
    ...formatTable(places, {
      [heading]: ({ table, column }) => `${table}.${column}`,
      ROWS: ({ rows }) => rows,
    }),
  ];
};

const describeFiles = (swept: boolean | null): string[] => {
  if (swept === null) return [];
  return swept
    ? ["The database's files no longer contain it."]
    : ["The database's files keep it for up to an hour, because a backup is running."];
};

const listPlaces = (places: readonly TextPlace[]): string =>
  places.map(({ table, column, rows }) => `${table}.${column} (${rows})`).join(", ");

/** Says why an erasure isn't complete. */
function describeIncomplete({ left }: ErasureReport): string {
  const identifying = left.filter((place) => !place.isFreeText);
  return identifying.length > 0
    ? `Not complete: ${listPlaces(identifying)} still identify the person. Repeat the command; if they stay, change or delete these rows.`
    : "Not complete: earlier writes or renames are still running and can bring the person back. Repeat the command in a few minutes.";
}

function describeReport(report: ErasureReport): string[] {
  const { id, erased, found, changed, left, namesLeft, filesSwept, notSearched } = report;
  if (!erased) return ["Nothing was changed: add --yes to erase.", notSearched];
  const counts = `${changed.meetingIds.length} meetings and ${changed.recordingIds.length} unfinished recordings of other users`;
  const isUnknown = found.accounts.length + changed.meetingIds.length + changed.recordingIds.length === 0;
  return [
    isUnknown
      ? "No account, meeting or recording has this address or ID. Check it if that is not what you expected."
      : `Erased. Replaced in ${counts}. Audit log ID: ${id}.`,
    left.length === 0
      ? "No column contains an address or ID of the person anymore."
      : `Columns still contain an address or ID of the person: ${listPlaces(left)}.`,
    namesLeft.length === 0
      ? "No column has the person's name as its value anymore."
      : `Columns still have the person's name as a value, which can be somebody else's: ${listPlaces(namesLeft)}.`,
    ...(found.others.sameName === 0
      ? []
      : [
          'Speakers with the same name and no address are kept: "people list" shows them as unconfirmed. Give the ID there to erase them.',
        ]),
    ...describeFiles(filesSwept),
    notSearched,
  ];
}
