import { LIMITS, staleVersion } from "@minutes/contract";
import { type Database, insertRows, schema } from "@minutes/db";
import { and, eq, gt, lte, sql } from "drizzle-orm";
import { ConcurrencyLimits } from "../api/rate-limit/index.js";
import { endMaskedLinks } from "../lib/end-masked-links.js";
import { ApiError } from "../lib/errors.js";
import { findReplacedValues, type Part, readSnapshot } from "./snapshot.js";

const { meetingVersions, meetingVersionContents } = schema;

/** Who changes which parts of a meeting. */
export interface Edit {
  /** A user's id, a key's id, or `operator`. */
  readonly actor: string;
  readonly action: schema.VersionAction;
  /** The version that the caller saw; null for changes that don't name one. */
  readonly base: number | null;
  /** Every part that the work can change. */
  readonly parts: readonly Part[];
}

/** Returns the current version of a meeting; 1 if it was never edited. */
export async function readVersion(db: Database, meetingId: string): Promise<number> {
  const [row] = await db
    .select({ version: sql<number>`coalesce(max(${meetingVersions.version}), 1)` })
    .from(meetingVersions)
    .where(eq(meetingVersions.meetingId, meetingId));
  return row?.version ?? 1;
}

/** Edits of a meeting wait for each other here: in the database, each would hold a connection. */
const edits = new ConcurrencyLimits(1, 100);

/** Runs an edit of a meeting when this process has finished those before it. @throws ApiError 503 if too many wait */
export const editAlone = <Result>(meetingId: string, edit: () => Promise<Result>): Promise<Result> =>
  edits.run(meetingId, edit);

/** Requires that a meeting is still at the version that an edit is based on. @throws ApiError 409 */
export async function requireVersion(tx: Database, meetingId: string, base: number | null): Promise<number> {
  const version = await readVersion(tx, meetingId);
  if (base === null || base === version) return version;
  const later = await tx
    .select({ fields: meetingVersions.fields })
    .from(meetingVersions)
    .where(and(eq(meetingVersions.meetingId, meetingId), gt(meetingVersions.version, base)))
    .orderBy(meetingVersions.version);
  const fields = [...new Set(later.flatMap((row) => row.fields))];
  throw new ApiError("CONFLICT", staleVersion(base, version, fields));
}

/**
 * Changes a locked meeting and stores the replaced values as a version, instead of the oldest one kept. Work that changes nothing creates no version.
 * @returns the meeting's version after it, whether it is new, and what `work` returned
 * @throws ApiError 409 if the meeting is no longer at `base`
 */
export async function withVersion<Touched>(
  tx: Database,
  meetingId: string,
  { actor, action, base, parts }: Edit,
  work: () => Promise<Touched>,
): Promise<{ readonly version: number; readonly isNew: boolean; readonly touched: Touched }> {
  const current = await requireVersion(tx, meetingId, base);
  const before = await readSnapshot(tx, meetingId, parts);
  const touched = await work();
  const replaced = findReplacedValues(before, await readSnapshot(tx, meetingId, parts));
  if (replaced.size === 0) return { version: current, isNew: false, touched };
  const version = current + 1;
  const fields = [...new Set([...replaced.keys()].map(toLabel))].toSorted();
  await tx.insert(meetingVersions).values({ meetingId, version, actor, action, fields });
  await insertRows(tx, meetingVersionContents, [...replaced], ([field, content]) => ({
    ...{ meetingId, version, field, content },
  }));
  const isBeyond = lte(meetingVersions.version, version - LIMITS.versionsKept);
  const dropped = await tx
    .delete(meetingVersions)
    .where(and(eq(meetingVersions.meetingId, meetingId), isBeyond))
    .returning({ fields: meetingVersions.fields });
  if (dropped.some((one) => one.fields.some((field) => NAMING.includes(field))))
    await endMaskedLinks(tx, meetingId);
  return { version, isNew: true, touched };
}

/** Fields with names of people, as versions list them. */
const NAMING = ["participants", "calendarEvent", "tasks"];

/** Returns the name of a stored field in lists: `turn:7` and `turns:s1` are parts of `transcript`, `task:tsk_…` of `tasks`. */
const toLabel = (field: string): string =>
  /^turns?:/.test(field) ? "transcript" : field.startsWith("task:") ? "tasks" : field;
