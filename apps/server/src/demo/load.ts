import {
  createKey,
  createUser,
  createWorkspace,
  eraseUser,
  importMeeting,
  joinWorkspace,
  leaveWorkspace,
  listMembers,
  OPERATOR,
  removeWorkspace,
  shareMeeting,
  shareTag,
  toActingUser,
} from "@minutes/core";
import type { Database } from "@minutes/db";
import { schema } from "@minutes/db";
import { and, eq, inArray, sql } from "drizzle-orm";
import { removeKeysFile, syncSample, writeKeysFile } from "./keys-file.js";
import { readWrittenSample } from "./sample.js";

const { meetings, tags, tasks, users } = schema;

/** Returns true if the database has no users. */
export async function isEmpty(db: Database): Promise<boolean> {
  const [anybody] = await db.select({ id: users.id }).from(users).limit(1);
  return anybody === undefined;
}

/**
 * Loads the sample workspace in one transaction, so that an interrupted start leaves nothing of it. The keys file is
 * written just before the commit; a file without its workspace is ignored.
 * @throws ApiError 409 if one of the sample's people already exists
 */
export async function loadSample(db: Database, dataDir: string, now = new Date()): Promise<void> {
  const sample = await readWrittenSample(now);
  const { name, plan, people } = sample.workspace;
  await db.transaction(async (tx) => {
    const { id: workspaceId } = await createWorkspace(tx, OPERATOR, { name, plan });
    const ids = new Map<string, string>();
    for (const { email, name, role } of people) {
      const { userId } = await createUser(tx, OPERATOR, { email, name });
      await joinWorkspace(tx, OPERATOR, userId, workspaceId, role);
      ids.set(email, userId);
    }
    const getUserId = (email: string) => requireId(ids, email);

    const meetingIds = new Map<string, string>();
    for (const meeting of sample.meetings) {
      const { meetingId } = await importMeeting(tx, meeting);
      meetingIds.set(meeting.externalId, meetingId);
    }
    await dateTasks(tx, [...meetingIds.values()]);
    for (const { externalId, withEmail } of sample.workspace.meetingShares) {
      await shareMeeting(tx, OPERATOR, requireId(meetingIds, externalId), getUserId(withEmail));
    }
    for (const { ownerEmail, tag, withEmail } of sample.workspace.tagShares) {
      await shareTag(tx, OPERATOR, await getTagId(tx, getUserId(ownerEmail), tag), getUserId(withEmail));
    }

    const userId = getUserId(people[0]?.email ?? "");
    const owner = toActingUser({ userId, workspaceId });
    const { key: personalKey } = await createKey(tx, owner, { kind: "personal", name: "Sample" });
    const { key: workspaceKey } = await createKey(tx, owner, { kind: "workspace", name: "Sample" });
    await writeKeysFile(dataDir, { workspaceId, userId, personalKey, workspaceKey });
  });
}

/** Dates tasks by the end of their meeting. Otherwise all would be created at the same time. */
const dateTasks = (tx: Database, meetingIds: string[]) =>
  tx
    .update(tasks)
    .set({
      createdAt: sql`(select coalesce(m.end_time, m.start_time) from ${meetings} m where m.id = ${tasks.meetingId})`,
    })
    .where(inArray(tasks.meetingId, meetingIds));

async function getTagId(tx: Database, userId: string, name: string): Promise<string> {
  const [tag] = await tx
    .select({ id: tags.id })
    .from(tags)
    .where(and(eq(tags.userId, userId), eq(tags.name, name)));
  if (!tag) throw new Error(`The sample shares a tag that no meeting has: ${name}`);
  return tag.id;
}

function requireId(ids: ReadonlyMap<string, string>, name: string): string {
  const id = ids.get(name);
  if (id === undefined) throw new Error(`The sample refers to a missing object: ${name}`);
  return id;
}

/**
 * Erases the sample's people and their workspace. Other users in it move to their own workspaces with their meetings.
 * The keys file is deleted last, so that an interrupted removal can be repeated.
 */
export async function removeSample(db: Database, dataDir: string): Promise<void> {
  const sample = await syncSample(db, dataDir);
  if (!sample) return;
  const { workspace } = await readWrittenSample(new Date());
  const written = new Set(workspace.people.map(({ email }) => email));
  await db.transaction(async (tx) => {
    const members = await listMembers(tx, sample.workspaceId);
    for (const { userId, email } of members)
      if (written.has(email)) await eraseUser(tx, OPERATOR, userId, { eraseHeld: true });
    // Admins come first in the list and leave last, so that members always have one.
    const others = members.filter(({ email }) => !written.has(email)).reverse();
    for (const { userId } of others) await leaveWorkspace(tx, OPERATOR, userId);
    await removeWorkspace(tx, OPERATOR, sample.workspaceId);
  });
  await removeKeysFile(dataDir);
}
