import type { MeetingDetail } from "@minutes/contract";
import type { ImportedRecording } from "@minutes/core";
import type { AssumedMeeting, ImportOptions, StoredMeeting } from "../import/outcome.js";
import { COMMAND_LINE_LIMITS, createDocumentParser } from "../import/parse-in-thread.js";
import { toRefusal } from "../refusal.js";
import { listDifferences } from "./compare-meetings.js";
import type { ListedMeeting, Source } from "./source.js";

/** The installation that receives the meetings. */
export interface Destination {
  /** Finds which meetings an owner's workspace has already. @throws a refusal for an unknown owner */
  find(ownerEmail: string, externalIds: readonly string[]): Promise<readonly ImportedRecording[]>;
  store(
    meeting: AssumedMeeting & { readonly replace: boolean },
  ): Promise<StoredMeeting & { readonly meetingId: string }>;
  get(meetingId: string): Promise<MeetingDetail>;
  /** Creates an owner; null if owners are not created. */
  readonly createOwner: ((email: string) => Promise<unknown>) | null;
}

/** A move's result so far. */
export interface MoveReport {
  /** Number of meetings that the keys can read there. */
  listed: number;
  /** Number of meetings that are stored now. */
  moved: number;
  /** Number of meetings whose content was replaced. */
  replaced: number;
  /** Number of meetings that were there before and stayed as they were. */
  alreadyThere: number;
  /** Number of meetings that were moved before and deleted here since. */
  deletedHere: number;
  /** Number of meetings that were deleted there during the move. */
  goneThere: number;
  /** Number of meetings compared field by field with the source. */
  compared: number;
  /** Owners whose meetings were not moved. */
  readonly owners: { readonly email: string; readonly meetings: number; readonly error: string }[];
  readonly failed: { readonly id: string; readonly error: string }[];
  /** Meetings with fields that differ from the source's. */
  readonly different: { readonly id: string; readonly fields: readonly string[] }[];
  /** Meetings of which something was assumed or not stored. */
  readonly remarks: { readonly id: string; readonly remarks: readonly string[] }[];
}

export interface MoveMeetingsOptions {
  /** Owner of all meetings; by default each keeps the address of its own. */
  readonly owner?: string | undefined;
  /**
   * `new` skips meetings that are there already, `replace` replaces those that differ, `check` only compares those that
   * are there.
   */
  readonly mode: "new" | "replace" | "check";
  /** Called before the first meeting, when the number to read is known, and after each. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
}

/** A meeting to read. */
interface Pending {
  readonly id: string;
  readonly owner: string;
  /** Its ID here; null if it is new. */
  readonly meetingId: string | null;
}

const parseDocument = createDocumentParser(COMMAND_LINE_LIMITS);
/** Number of external IDs asked for at once. */
const BATCH = 1_000;

/**
 * Moves the meetings of another service with this API, oldest first. Each keeps its ID as `externalId`, so the data
 * itself records how far a move came: an interrupted one continues when it is repeated.
 * @throws ExplainedError if the source can't be read
 */
export async function moveMeetings(
  source: Source,
  destination: Destination,
  { owner, mode, onProgress }: MoveMeetingsOptions,
): Promise<MoveReport> {
  const report: MoveReport = {
    ...{ listed: 0, moved: 0, replaced: 0, alreadyThere: 0, deletedHere: 0, goneThere: 0, compared: 0 },
    ...{ owners: [], failed: [], different: [], remarks: [] },
  };
  const byUser = new Map<string, ListedMeeting[]>();
  for await (const meeting of source.list()) {
    report.listed++;
    const own = byUser.get(meeting.userId);
    if (own) own.push(meeting);
    else byUser.set(meeting.userId, [meeting]);
  }
  const pending: Pending[] = [];
  for (const meetings of byUser.values())
    pending.push(...(await listPending(source, destination, meetings.toReversed(), { owner, mode }, report)));
  onProgress?.(0, pending.length);
  for (const [at, meeting] of pending.entries()) {
    await moveOne(source, destination, meeting, mode, report);
    onProgress?.(at + 1, pending.length);
  }
  return report;
}

/** Lists which of a user's meetings to read. The list there has no addresses, so their first meeting is read for it. */
async function listPending(
  source: Source,
  destination: Destination,
  meetings: readonly ListedMeeting[],
  { owner, mode }: Pick<MoveMeetingsOptions, "owner" | "mode">,
  report: MoveReport,
): Promise<Pending[]> {
  const email = owner ?? (await findAddress(source, meetings));
  if (email === null) {
    report.goneThere += meetings.length;
    return [];
  }
  const known = new Map<string, ImportedRecording>();
  try {
    for (let at = 0; at < meetings.length; at += BATCH) {
      const ids = meetings.slice(at, at + BATCH).map(({ id }) => id);
      for (const found of await findOrCreate(destination, email, ids, mode))
        known.set(found.externalId, found);
    }
  } catch (error) {
    report.owners.push({ email, meetings: meetings.length, error: describeRefusal(error) });
    return [];
  }
  return meetings.flatMap(({ id }): Pending[] => {
    const there = known.get(id);
    if (there && !there.stored) report.deletedHere++;
    else if (there && mode === "new") report.alreadyThere++;
    else if (there || mode !== "check") return [{ id, owner: email, meetingId: there?.meetingId ?? null }];
    return [];
  });
}

/** Returns the address of the user who recorded these meetings; null if all are gone. */
async function findAddress(source: Source, meetings: readonly ListedMeeting[]): Promise<string | null> {
  for (const { id } of meetings) {
    const detail = (await source.get(id)) as { user?: { email?: unknown } } | null;
    if (typeof detail?.user?.email === "string") return detail.user.email;
  }
  return null;
}

async function findOrCreate(
  { find, createOwner }: Destination,
  email: string,
  ids: readonly string[],
  mode: MoveMeetingsOptions["mode"],
): Promise<readonly ImportedRecording[]> {
  try {
    return await find(email, ids);
  } catch (error) {
    if (toRefusal(error)?.code !== "NOT_FOUND" || createOwner === null || mode === "check") throw error;
    await createOwner(email);
    return find(email, ids);
  }
}

/** Returns a refusal's message. @throws any other error */
function describeRefusal(error: unknown): string {
  const refusal = toRefusal(error);
  if (!refusal) throw error;
  return refusal.message;
}

async function moveOne(
  source: Source,
  destination: Destination,
  { id, owner, meetingId }: Pending,
  mode: MoveMeetingsOptions["mode"],
  report: MoveReport,
): Promise<void> {
  const detail = await source.get(id);
  if (detail === null) {
    report.goneThere++;
    return;
  }
  if (meetingId !== null) {
    const fields = listDifferences(detail, await destination.get(meetingId));
    if (fields.length === 0 || mode === "check") {
      report.alreadyThere++;
      report.compared++;
      if (fields.length > 0) report.different.push({ id, fields });
      return;
    }
  }
  const stored = await storeOne(destination, id, detail, owner, mode === "replace", report);
  if (!stored) return;
  if (stored.created) report.moved++;
  else if (stored.replaced) report.replaced++;
  else report.alreadyThere++;
  report.compared++;
  const fields = listDifferences(detail, await destination.get(stored.meetingId));
  if (fields.length > 0) report.different.push({ id, fields });
}

/** Converts and stores one meeting; null if it was refused. */
async function storeOne(
  destination: Destination,
  id: string,
  detail: unknown,
  owner: string,
  replace: boolean,
  report: MoveReport,
): Promise<Awaited<ReturnType<Destination["store"]>> | null> {
  const file = {
    name: `${id}.json`,
    bytes: Buffer.from(JSON.stringify(detail)),
    modifiedAt: new Date(0).toISOString(),
  };
  const [parsed] = await parseDocument(file, { owner, lenient: true } satisfies ImportOptions);
  if (!parsed || !("input" in parsed)) {
    const error = parsed && "error" in parsed ? parsed.error : "The answer has no meeting.";
    report.failed.push({ id, error });
    return null;
  }
  const { input, assumed, reading, unassigned, notStored } = parsed;
  try {
    const stored = await destination.store({ ...input, externalId: id, assumed, replace });
    const remarks = [
      ...reading.remarks,
      ...(unassigned.length > 0 ? [`${unassigned.length} lines of the transcript name no speaker.`] : []),
      ...[...notStored, ...(stored.notStored ?? [])].map((field) => `${field} was not stored.`),
    ];
    if (remarks.length > 0) report.remarks.push({ id, remarks });
    return stored;
  } catch (error) {
    report.failed.push({ id, error: describeRefusal(error) });
    return null;
  }
}
