import { type ExportedMeeting, type ExportRecord, MESSAGES } from "@minutes/contract";
import { type Database, insertRows, schema } from "@minutes/db";
import { eq, inArray, notInArray } from "drizzle-orm";
import { ApiError } from "../lib/errors.js";
import { generateId } from "../lib/ids.js";
import { type RenderedSummary, renderSummary, toFacts, writeMeeting } from "../meetings/index.js";
import { listStrangers } from "../people/index.js";
import { restoreVersions } from "../versions/index.js";

const {
  meetingShares,
  members,
  people,
  personEmails,
  recordings,
  summaryInstructions,
  tagShares,
  tags,
  users,
  vocabularyTerms,
  workspaces,
} = schema;

/**
 * Stores one line of an export under its own ids; no other input brings ids. Existing objects are skipped, so an
 * interrupted import can be repeated. Charges nothing and sends no events.
 * @returns true for a new meeting
 * @throws ApiError 409 for the first line if the database has other users
 */
export async function restoreRecord(db: Database, record: ExportRecord): Promise<boolean> {
  const summary = record.kind === "meeting" && record.summary ? await renderSummary(record.summary) : null;
  return db.transaction(async (tx) => {
    if (record.kind === "meeting") return restoreMeeting(tx, record, summary);
    await restoreNonMeeting(tx, record);
    return false;
  });
}

/** Stores a line other than a meeting. */
async function restoreNonMeeting(
  tx: Database,
  record: Exclude<ExportRecord, ExportedMeeting>,
): Promise<void> {
  switch (record.kind) {
    case "minutes-export":
      return requireEmptyDatabase(tx, record.userIds);
    case "workspace": {
      const { id, name, plan } = record;
      await tx.insert(workspaces).values({ id, name, plan }).onConflictDoNothing();
      return restoreLists(tx, { workspaceId: id }, record);
    }
    case "user": {
      const { id, email, name, workspaceId, role } = record;
      await tx.insert(users).values({ id, email, name }).onConflictDoNothing({ target: users.id });
      await tx.insert(members).values({ userId: id, workspaceId, role }).onConflictDoNothing();
      return restoreLists(tx, { userId: id }, record);
    }
    case "tag": {
      const { id, userId, name, color } = record;
      await tx.insert(tags).values({ id, userId, name, color }).onConflictDoNothing();
      const workspaceId = await getWorkspaceId(tx, userId);
      const share = { tagId: id, ownerId: userId, workspaceId };
      const toShare = (reader: string) => ({ ...share, userId: reader });
      return insertRows(tx, tagShares, record.sharedWith, toShare, "nothing");
    }
    case "person": {
      const { kind: _, emails, ...person } = record;
      const settledRevision = person.revision;
      await tx
        .insert(people)
        .values({ ...person, settledRevision })
        .onConflictDoNothing();
      const toEmail = (email: string) => ({
        workspaceId: person.workspaceId,
        email: email.toLowerCase(),
        personId: person.id,
      });
      return insertRows(tx, personEmails, emails, toEmail, "nothing");
    }
    case "deleted": {
      const { id, externalId, workspaceId } = record;
      await tx
        .insert(recordings)
        .values({ id, externalId, workspaceId, state: "deleted" })
        .onConflictDoNothing();
    }
  }
}

async function requireEmptyDatabase(tx: Database, userIds: readonly string[]): Promise<void> {
  const [other] = await tx
    .select({ id: users.id })
    .from(users)
    .where(userIds.length > 0 ? notInArray(users.id, [...userIds]) : undefined)
    .limit(1);
  if (other) throw new ApiError("CONFLICT", MESSAGES.notEmpty);
}

/** Restores the vocabulary and the instructions for summaries of a user or workspace. */
async function restoreLists(
  tx: Database,
  holder: { userId: string } | { workspaceId: string },
  { terms, instructions }: Pick<Extract<ExportRecord, { kind: "user" }>, "terms" | "instructions">,
): Promise<void> {
  const toTerm = (term: string) => ({ id: generateId("trm"), ...holder, term });
  await insertRows(tx, vocabularyTerms, terms, toTerm, "nothing");
  const toInstruction = (facts: (typeof instructions)[number]) => ({
    ...{ id: generateId("ins"), ...holder, ...facts },
  });
  await insertRows(tx, summaryInstructions, instructions, toInstruction, "nothing");
}

async function getWorkspaceId(tx: Database, userId: string): Promise<string> {
  const [member] = await tx.select().from(members).where(eq(members.userId, userId));
  if (!member) throw new ApiError("NOT_FOUND", MESSAGES.userNotFound);
  return member.workspaceId;
}

async function restoreMeeting(
  tx: Database,
  record: ExportedMeeting,
  summary: RenderedSummary | null,
): Promise<boolean> {
  const { id, userId, title, startTime, calendarEvent: event } = record;
  const workspaceId = await getWorkspaceId(tx, userId);
  const [made] = record.workspaceId
    ? await tx.select({ id: workspaces.id }).from(workspaces).where(eq(workspaces.id, record.workspaceId))
    : [];
  const inserted = await tx
    .insert(recordings)
    .values({
      id,
      workspaceId: made?.id ?? null,
      externalId: record.externalId,
      state: "completed",
      startHash: fromBase64(record.startHash),
      contentHash: fromBase64(record.contentHash),
    })
    .onConflictDoNothing()
    .returning({ id: recordings.id });
  if (inserted.length === 0) return false;
  // A file written by hand can name anybody.
  const strangers = await listStrangers(tx, workspaceId, [
    ...record.participants.map(({ personId }) => personId),
    ...record.tasks.map(({ assigneePersonId }) => assigneePersonId),
  ]);
  const toOwn = (id: string | null) => (id !== null && strangers.has(id) ? null : id);
  const names = new Map(record.participants.map((speaker) => [speaker.id, speaker.name]));
  await writeMeeting(tx, {
    meeting: {
      id,
      userId,
      workspaceId,
      title,
      ...toFacts(record),
      startTime,
      endTime: record.endTime,
      calendarEventId: event?.id ?? null,
      createdAt: record.createdAt,
    },
    summary: summary && { ...summary, locked: false },
    participants: record.participants.map((one) => ({ ...one, personId: toOwn(one.personId) })),
    segments: record.segments,
    tasks: record.tasks.map((one) => ({ ...one, assigneePersonId: toOwn(one.assigneePersonId) })),
    event,
    tagIds: record.tagIds,
    turns: record.segments.map(({ speakerId, text }) => ({
      speaker: names.get(speakerId) ?? speakerId,
      text,
    })),
  });
  await restoreShares(tx, { meetingId: id, ownerId: userId, workspaceId, startTime }, record.sharedWith);
  await restoreVersions(tx, id, record.versions);
  return true;
}

/** Shares a meeting with those of its readers who exist. */
async function restoreShares(
  tx: Database,
  share: Omit<typeof meetingShares.$inferInsert, "userId">,
  userIds: readonly string[],
): Promise<void> {
  if (userIds.length === 0) return;
  const readers = await tx
    .select({ userId: users.id })
    .from(users)
    .where(inArray(users.id, [...userIds]));
  await insertRows(tx, meetingShares, readers, ({ userId }) => ({ ...share, userId }));
}

const fromBase64 = (base64: string | null): Uint8Array | null =>
  base64 === null ? null : Buffer.from(base64, "base64");
