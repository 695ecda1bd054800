import { MESSAGES } from "@minutes/contract";
import { type Database, schema, yieldToEventLoop } from "@minutes/db";
import { and, eq, isNotNull, sql } from "drizzle-orm";
import { requireNotErased } from "../lib/erased-recordings.js";
import { ApiError } from "../lib/errors.js";
import { replaceMeeting, toFacts } from "../meetings/index.js";
import { changeMeeting, type LockedMeeting, type Part, type Touched } from "../versions/index.js";
import type { Membership } from "../workspaces/index.js";
import { allowLongStatements, type MeetingWithSummary } from "./complete-meeting.js";
import { listConflictingSpeakers, type MeetingContent, toParts } from "./store-meeting.js";

const { meetingTags, recordings, tags } = schema;

/** The parts of a meeting that a replacement can change. */
const REPLACED: readonly Part[] = [
  "facts",
  "summary",
  "participants",
  "transcript",
  "calendarEvent",
  "tasks",
];

/** The content that replaces a meeting's. */
export interface Replacement extends MeetingWithSummary {
  readonly externalId: string;
  /** The workspace of the external ID. */
  readonly workspaceId: string;
  readonly hash: Uint8Array;
  /** Who replaces it: a key's id, a user's id, or `operator`. */
  readonly actor: string;
  /** True keeps generated titles, summaries and tasks if none are sent. */
  readonly keepsGenerated: boolean;
  /** Decides whether to lock a new summary. An existing summary keeps its lock. */
  readonly locksSummary: () => Promise<boolean>;
}

/**
 * Replaces the content of a completed meeting in the caller's transaction, which holds the lock on the owner's
 * membership. Stores the replaced content as a version and charges nothing.
 * @returns fields that were sent but not stored; null if the meeting is gone
 * @throws ApiError 409 for another owner's meeting, and for one from which a person was erased
 */
export async function replaceContent(
  tx: Database,
  meetingId: string,
  owner: Membership,
  replacement: Replacement,
): Promise<string[] | null> {
  const { meeting: content, summary, keepsGenerated, hash } = replacement;
  await allowLongStatements(tx);
  await yieldToEventLoop();
  const { tasks, turns: _, ...parts } = toParts(content);
  const { title, startTime, endTime = null } = content;
  const { generatedTitle, ...facts } = toFacts(content);
  const work = async (_: Database, meeting: LockedMeeting): Promise<Touched<string[]>> => {
    const reopened = await replaceMeeting(tx, meeting, {
      ...parts,
      meeting: {
        title,
        startTime,
        endTime,
        ...facts,
        ...(keepsGenerated && generatedTitle === null ? {} : { generatedTitle }),
      },
      ...(keepsGenerated && !summary
        ? {}
        : { summary: summary && { ...summary, locked: await replacement.locksSummary() } }),
      ...(keepsGenerated && tasks.length === 0 ? {} : { tasks }),
    });
    await tx
      .update(recordings)
      .set({ startHash: null, contentHash: hash, updatedAt: sql`now()` })
      .where(eq(recordings.id, meetingId));
    const notStored = [
      ...listConflictingSpeakers(content.transcript, parts.participants),
      ...(await listOtherTags(tx, meetingId, content.tags)),
      ...(reopened ? ["tasks.completed"] : []),
    ];
    return { result: notStored, index: "meeting" };
  };
  const changed = await changeMeeting(tx, meetingId, {
    authorize: async (_, { ownerId }) => {
      if (ownerId !== owner.userId) throw new ApiError("CONFLICT", MESSAGES.replacedOwner);
      await requireNotErased(tx, replacement.workspaceId, replacement.externalId);
    },
    edit: { actor: replacement.actor, action: "replace", base: null, parts: REPLACED },
    work,
  });
  return changed?.result ?? null;
}

/** Lists the sent tag fields that the meeting, whose tags don't change, does not have. */
async function listOtherTags(
  tx: Database,
  meetingId: string,
  sent: MeetingContent["tags"],
): Promise<string[]> {
  if (sent.length === 0) return [];
  const stored = await tx
    .select({ name: tags.name, color: tags.color })
    .from(meetingTags)
    .innerJoin(tags, eq(tags.id, meetingTags.tagId))
    .where(eq(meetingTags.meetingId, meetingId));
  const colors = new Map(stored.map(({ name, color }) => [name, color.toLowerCase()]));
  const others = sent.some(({ name }) => !colors.has(name));
  const recolored = sent.some(
    ({ name, color }) => color && colors.has(name) && colors.get(name) !== color.toLowerCase(),
  );
  return [...(others ? ["tags"] : []), ...(recolored ? ["tags.color"] : [])];
}

/**
 * Removes the external ID from a deleted recording, so that a new one can use it. The old meeting ID stays deleted.
 * @returns false if another transaction has taken it
 */
export async function releaseExternalId(tx: Database, recordingId: string): Promise<boolean> {
  const released = await tx
    .update(recordings)
    .set({ externalId: null })
    .where(
      and(eq(recordings.id, recordingId), eq(recordings.state, "deleted"), isNotNull(recordings.externalId)),
    )
    .returning({ id: recordings.id });
  return released.length > 0;
}
