import { MeetingImport } from "@minutes/contract";
import {
  deleteTag,
  importMeeting,
  joinWorkspace,
  leaveWorkspace,
  OPERATOR,
  setEmail,
  shareMeeting,
  shareTag,
  tagMeeting,
  unshareMeeting,
  unshareTag,
  untagMeeting,
} from "@minutes/core";
import { type Database, schema } from "@minutes/db";
import type { Random } from "@minutes/testing";
import { type Company, givenOn, type Person } from "@minutes/testing";
import { eq, inArray, sql } from "drizzle-orm";

const {
  meetingShares,
  meetings,
  meetingTags,
  members,
  recordings,
  tags,
  tagShares,
  tasks,
  users,
  workspaces,
} = schema;

/** The people and workspaces of all schedules. */
export interface Cast {
  readonly people: readonly Person[];
  readonly companies: readonly Company[];
}

/** Reads the ids of committed objects, for writers to choose from. */
async function readObjects(db: Database) {
  const rows = {
    meetings: await db.select({ id: meetings.id }).from(meetings).orderBy(meetings.id),
    tags: await db.select({ id: tags.id }).from(tags).orderBy(tags.id),
    tasks: await db.select({ id: tasks.id }).from(tasks).orderBy(tasks.id),
    shares: await db.select().from(meetingShares).orderBy(meetingShares.meetingId, meetingShares.userId),
    tagShares: await db.select().from(tagShares).orderBy(tagShares.tagId, tagShares.userId),
    meetingTags: await db.select().from(meetingTags).orderBy(meetingTags.meetingId, meetingTags.tagId),
  };
  return rows;
}

/** A write that can be part of an open transaction. */
export type Write = (tx: Database) => Promise<unknown>;

/** Chooses a random write; the objects it refers to may be gone when it runs. */
export async function chooseWrite(db: Database, { people, companies }: Cast, random: Random): Promise<Write> {
  const objects = await readObjects(db);
  const person = random.pick(people);
  const meeting = random.any(objects.meetings)?.id ?? "mtg_none";
  const tag = random.any(objects.tags)?.id ?? "tag_none";
  const task = random.any(objects.tasks)?.id ?? "tsk_none";
  const share = random.any(objects.shares);
  const tagShare = random.any(objects.tagShares);
  const meetingTag = random.any(objects.meetingTags);
  const name = `Tag ${random.int(3)}`;
  const text = `Text ${random.int(1_000)}`;
  const number = random.int(1_000_000_000);
  const items = Array.from({ length: random.int(3) }, (_, at) => ({ text: `Task ${at}` }));
  const tagged = random.chance(0.3) ? [{ name }] : [];
  const removeMeeting: Write = async (tx) => {
    await tx.delete(meetings).where(eq(meetings.id, meeting));
    await tx.update(recordings).set({ state: "deleted" }).where(eq(recordings.id, meeting));
  };
  const importOne: Write = async (tx) => {
    // Their address may have changed, and imports identify the owner by it.
    const [owner] = await tx.select({ email: users.email }).from(users).where(eq(users.id, person.userId));
    if (owner) await givenOn(tx).meeting({ ...person, ...owner }, { tasks: items, tags: tagged });
  };
  const replaceOne: Write = async (tx) => {
    const [known] = await tx
      .select({ externalId: recordings.externalId, email: users.email })
      .from(meetings)
      .innerJoin(recordings, eq(recordings.id, meetings.id))
      .innerJoin(users, eq(users.id, meetings.userId))
      .where(eq(meetings.id, meeting));
    if (!known?.externalId) return;
    const whole = MeetingImport.parse({
      externalId: known.externalId,
      ownerEmail: known.email,
      title: text,
      startTime: new Date(1_700_000_000_000 + number * 1_000).toISOString(),
      tasks: items,
    });
    await importMeeting(tx, { ...whole, replace: true });
  };
  const leave: Write = async (tx) => {
    await leaveWorkspace(tx, OPERATOR, person.userId);
    // A user's own workspace begins on the free plan, whose keys don't work.
    const own = tx.select({ id: members.workspaceId }).from(members).where(eq(members.userId, person.userId));
    await tx.update(workspaces).set({ plan: "pro" }).where(inArray(workspaces.id, own));
  };
  const writes: Write[] = [
    importOne,
    importOne,
    importOne,
    importOne,
    replaceOne,
    replaceOne,
    removeMeeting,
    // Bounds the growth of a long schedule.
    ...(objects.meetings.length > 60 ? [removeMeeting, removeMeeting, removeMeeting] : []),
    (tx) => tx.update(tasks).set({ completed: sql`not completed`, text }).where(eq(tasks.id, task)),
    (tx) => tx.update(tasks).set({ completed: sql`not completed`, text }).where(eq(tasks.id, task)),
    (tx) => tx.update(meetings).set({ title: text }).where(eq(meetings.id, meeting)),
    (tx) => shareMeeting(tx, OPERATOR, meeting, person.userId),
    (tx) => shareMeeting(tx, OPERATOR, meeting, person.userId),
    (tx) => unshareMeeting(tx, OPERATOR, share?.meetingId ?? meeting, share?.userId ?? person.userId),
    (tx) => tagMeeting(tx, OPERATOR, meeting, name),
    (tx) => tagMeeting(tx, OPERATOR, meeting, name),
    (tx) => untagMeeting(tx, OPERATOR, meetingTag?.meetingId ?? meeting, meetingTag?.tagId ?? tag),
    (tx) => shareTag(tx, OPERATOR, tag, person.userId),
    (tx) => shareTag(tx, OPERATOR, tag, person.userId),
    (tx) => unshareTag(tx, OPERATOR, tagShare?.tagId ?? tag, tagShare?.userId ?? person.userId),
    ...(random.chance(0.3) ? [(tx: Database) => deleteTag(tx, OPERATOR, tag)] : []),
    (tx) => joinWorkspace(tx, OPERATOR, person.userId, random.pick(companies).workspaceId),
    ...(random.chance(0.5) ? [leave] : []),
    ...(random.chance(0.3)
      ? [(tx: Database) => setEmail(tx, OPERATOR, person.userId, `p${number}@example.com`)]
      : []),
  ];
  return random.pick(writes);
}
