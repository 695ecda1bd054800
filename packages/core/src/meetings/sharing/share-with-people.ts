import { type Database, schema } from "@minutes/db";
import { and, asc, eq, inArray, ne } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import type { Manager } from "../../access/callers.js";
import { findUser } from "../../workspaces/index.js";
import { requireMeetingOwner } from "../index.js";
import { shareMeeting } from "./share.js";

const { members, users } = schema;

/** A member who can get a share. */
interface Colleague {
  readonly userId: string;
  readonly email: string;
}

/** Finds members of a user's workspace by confirmed e-mail address, without the user. */
export async function findColleagues(
  db: Database,
  ownerEmail: string,
  emails: readonly string[],
): Promise<readonly Colleague[]> {
  const owner = await findUser(db, ownerEmail);
  return selectColleagues(db, owner.userId, emails);
}

/**
 * Shares a meeting with each member of its owner's workspace who has one of the addresses. Repeating it is a no-op.
 * @returns the members' addresses
 */
export async function shareWithPeople(
  db: Database,
  caller: Manager,
  meetingId: string,
  emails: readonly string[],
): Promise<string[]> {
  const { ownerId } = await requireMeetingOwner(db, caller, meetingId);
  const colleagues = await selectColleagues(db, ownerId, emails);
  for (const { userId } of colleagues) await shareMeeting(db, caller, meetingId, userId);
  return colleagues.map(({ email }) => email);
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
