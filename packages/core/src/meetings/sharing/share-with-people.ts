import type { MeetingReaders } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { and, asc, eq, inArray, ne } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import type { Manager } from "../../access/callers.js";
import { findUser } from "../../workspaces/index.js";
import { requireMeetingOwner } from "../index.js";
import { listReadersOfTags } from "../tags/index.js";
import { listReaders } from "./list.js";
import { shareMeeting } from "./share.js";

const { members, participants, users } = schema;

/** A member who can get a share. */
interface Colleague {
  readonly userId: string;
  readonly email: string;
}

/** A meeting of a file that could be imported. */
interface Importable {
  readonly ownerEmail: string;
  /** Its ID if it is there already. */
  readonly meetingId: string | undefined;
  readonly tags: readonly string[];
  /** Addresses in the file. */
  readonly emails: readonly string[];
}

/**
 * Previews an import: the addresses of the members `shareWithPeople` would share the meeting with, and its other readers.
 * @throws ApiError 404 for an unknown owner
 */
export async function previewReaders(
  db: Database,
  { ownerEmail, meetingId, tags, emails }: Importable,
): Promise<{ sharedWith: string[]; readers: Pick<MeetingReaders["readers"][number], "email" | "tags">[] }> {
  const { userId } = await findUser(db, ownerEmail);
  const speakers = meetingId === undefined ? [] : await listSpeakers(db, meetingId);
  const colleagues = await selectColleagues(db, userId, [...emails, ...speakers]);
  return {
    sharedWith: colleagues.map(({ email }) => email),
    readers: await (meetingId === undefined
      ? listReadersOfTags(db, userId, tags)
      : listReaders(db, meetingId)),
  };
}

/**
 * Shares a meeting with each member of its owner's workspace who has one of the addresses or the address of one of its
 * speakers, who may have been confirmed since the import. Repeating it is a no-op.
 * @returns the members' addresses
 */
export async function shareWithPeople(
  db: Database,
  caller: Manager,
  meetingId: string,
  emails: readonly string[],
): Promise<string[]> {
  const { ownerId } = await requireMeetingOwner(db, caller, meetingId);
  const colleagues = await selectColleagues(db, ownerId, [...emails, ...(await listSpeakers(db, meetingId))]);
  for (const { userId } of colleagues) await shareMeeting(db, caller, meetingId, userId);
  return colleagues.map(({ email }) => email);
}

/** Lists the addresses of a meeting's speakers. */
async function listSpeakers(db: Database, meetingId: string): Promise<string[]> {
  const speakers = await db
    .select({ email: participants.email })
    .from(participants)
    .where(eq(participants.meetingId, meetingId));
  return speakers.flatMap(({ email }) => email ?? []);
}

/** Selects members by address. An unconfirmed one is what its user says, so it gets nothing. */
async function selectColleagues(
  db: Database,
  ownerId: string,
  emails: readonly string[],
): Promise<readonly Colleague[]> {
  if (emails.length === 0) return [];
  const owners = alias(members, "owners");
  const addresses = emails.map((email) => email.toLowerCase());
  return db
    .select({ userId: users.id, email: users.email })
    .from(owners)
    .innerJoin(members, eq(members.workspaceId, owners.workspaceId))
    .innerJoin(users, eq(users.id, members.userId))
    .where(
      and(
        eq(owners.userId, ownerId),
        ne(users.id, ownerId),
        inArray(users.email, addresses),
        eq(users.emailConfirmed, true),
      ),
    )
    .orderBy(asc(users.email));
}
