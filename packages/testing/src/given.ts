import { MeetingImport, type MeetingImportInput, type Plan } from "@minutes/contract";
import {
  createSession,
  createUser,
  createWorkspace,
  importMeeting,
  joinWorkspace,
  leaveWorkspace,
  OPERATOR,
  shareMeeting,
  shareTag,
  tagMeeting,
} from "@minutes/core";
import { type Database, schema } from "@minutes/db";
import { and, asc, eq } from "drizzle-orm";
import { createIngestKey, createPersonalKey, createWorkspaceKey } from "./keys.js";

/** A user with a personal key. */
export interface Person {
  readonly userId: string;
  readonly email: string;
  readonly name: string;
  readonly key: string;
  readonly keyId: string;
}

/** A workspace with a key, and the admin who created it. */
export interface Company {
  readonly workspaceId: string;
  readonly key: string;
  readonly keyId: string;
  readonly admin: Person;
}

/** A stored meeting. */
export interface Meeting {
  readonly meetingId: string;
  readonly owner: Person;
  /** In the order of the meeting's tasks. */
  readonly taskIds: readonly string[];
}

/** A meeting's properties that matter for a test; the rest has defaults. */
export type MeetingFacts = Partial<Omit<MeetingImportInput, "ownerEmail">>;

/** Factories for one database, which set up a test's data. */
export type Given = ReturnType<typeof givenOn>;

let last = 0;
const next = (): number => ++last;
/** Time before which meetings begin, each a minute before the last one, however long the tests take. */
const LATEST = Date.now();

/**
 * Creates factories that read as sentences, such as `const anna = await given.member(company)`. They store everything
 * through real code.
 */
export function givenOn(db: Database) {
  /** Creates a user in their own workspace, by default on a plan with keys. */
  async function person(facts: { email?: string; name?: string; plan?: Plan } = {}): Promise<Person> {
    const number = next();
    const email = facts.email ?? `person${number}@example.com`;
    const name = facts.name ?? `Person ${number}`;
    const { userId, workspaceId } = await createUser(db, OPERATOR, { email, name });
    // There are no summaries yet that the plan unlocks.
    await db
      .update(schema.workspaces)
      .set({ plan: facts.plan ?? "pro" })
      .where(eq(schema.workspaces.id, workspaceId));
    const { id: keyId, key } = await createPersonalKey(db, userId, "test");
    return { userId, email, name, key, keyId };
  }

  /** Creates a workspace with an admin and a workspace key. */
  async function company(facts: { plan?: Plan; name?: string } = {}): Promise<Company> {
    const { id: workspaceId } = await createWorkspace(db, OPERATOR, {
      name: facts.name ?? `Company ${next()}`,
      plan: facts.plan ?? "team",
    });
    const admin = await person();
    await joinWorkspace(db, OPERATOR, admin.userId, workspaceId, "admin");
    const { id: keyId, key } = await createWorkspaceKey(db, admin.userId, "test");
    return { workspaceId, admin, key, keyId };
  }

  const joins = (who: Person, where: Company) => joinWorkspace(db, OPERATOR, who.userId, where.workspaceId);
  const leaves = (who: Person) => leaveWorkspace(db, OPERATOR, who.userId);

  /** Creates a member of the company. */
  async function member(where: Company, facts: { email?: string; name?: string } = {}): Promise<Person> {
    const who = await person(facts);
    await joins(who, where);
    return who;
  }

  /** Creates a recorded meeting of the owner. */
  async function meeting(owner: Person, facts: MeetingFacts = {}): Promise<Meeting> {
    const number = next();
    const whole = MeetingImport.parse({
      externalId: `recording-${number}`,
      ownerEmail: owner.email,
      title: `Meeting ${number}`,
      startTime: new Date(LATEST - number * 60_000).toISOString(),
      ...facts,
    });
    const { meetingId } = await importMeeting(db, whole);
    const rows = await db
      .select({ id: schema.tasks.id })
      .from(schema.tasks)
      .where(eq(schema.tasks.meetingId, meetingId))
      .orderBy(asc(schema.tasks.position));
    return { meetingId, owner, taskIds: rows.map((row) => row.id) };
  }

  /** Creates a meeting with a value in every field of the contract. */
  const richMeeting = (owner: Person, facts: MeetingFacts = {}): Promise<Meeting> =>
    meeting(owner, { ...richFacts(owner), ...facts });

  const shared = (what: Meeting, reader: Person) => shareMeeting(db, OPERATOR, what.meetingId, reader.userId);

  /** Creates a meeting that its owner shared directly with the reader. */
  async function meetingSharedDirectly(owner: Person, reader: Person, facts: MeetingFacts = {}) {
    const what = await meeting(owner, facts);
    await shared(what, reader);
    return what;
  }

  /** Tags a meeting with a tag of its owner. @returns the tag's id */
  async function tagged(what: Meeting, name: string, color?: string): Promise<string> {
    await tagMeeting(db, OPERATOR, what.meetingId, name, color);
    return tagId(what.owner, name);
  }

  async function tagId(owner: Person, name: string): Promise<string> {
    const [tag] = await db
      .select({ id: schema.tags.id })
      .from(schema.tags)
      .where(and(eq(schema.tags.userId, owner.userId), eq(schema.tags.name, name)));
    if (!tag) throw new Error(`${owner.name} has no tag ${name}.`);
    return tag.id;
  }

  const tagShared = (id: string, reader: Person) => shareTag(db, OPERATOR, id, reader.userId);

  /** Creates a meeting that reaches the reader through a shared tag. */
  async function meetingSharedByTag(
    owner: Person,
    reader: Person,
    facts: MeetingFacts & { tag?: string } = {},
  ): Promise<Meeting & { tag: string; tagId: string }> {
    const { tag = `Tag ${next()}`, ...rest } = facts;
    const what = await meeting(owner, rest);
    const id = await tagged(what, tag);
    await tagShared(id, reader);
    return { ...what, tag, tagId: id };
  }

  const personalKey = (who: Person) => createPersonalKey(db, who.userId, "another");
  const workspaceKey = (where: Company) => createWorkspaceKey(db, where.admin.userId, "another");

  /** Creates a recorder's credential for the company, `ik_…`. */
  const ingestKey = async (where: Company) => (await createIngestKey(db, where.admin.userId, "test")).key;

  /** Creates a token with which the person calls the settings API. */
  const session = async (who: Pick<Person, "userId">) => (await createSession(db, who.userId, "token")).token;

  return {
    ingestKey,
    session,
    person,
    company,
    member,
    joins,
    leaves,
    meeting,
    richMeeting,
    shared,
    meetingSharedDirectly,
    tagged,
    tagShared,
    meetingSharedByTag,
    personalKey,
    workspaceKey,
  };
}

/** Returns values for every field of the contract. */
const richFacts = (owner: Person): MeetingFacts => ({
  title: "Quarterly review",
  generatedTitle: "Review of the third quarter",
  startTime: "2025-03-14T09:30:00.250Z",
  endTime: "2025-03-14T10:15:00.000Z",
  transcript: [
    {
      speakerId: "s1",
      speakerName: owner.name,
      speakerEmail: owner.email,
      text: "Welcome to the review.",
      start: 0,
      end: 2,
    },
    { speakerId: "s2", speakerName: "Guest", text: "Thanks. The turbines are late.", start: 2, end: 5 },
  ],
  summary: { markdown: "# Review\n\nThe **turbines** are late.", short: "Turbines are late." },
  tasks: [
    { text: "Call the supplier", assignee: { name: owner.name, email: owner.email } },
    { text: "Write to the board", completed: true, assignee: { name: "Guest" } },
    { text: "Nobody's task" },
  ],
  tags: [{ name: `Review ${next()}`, color: "#112233" }],
  calendarEvent: {
    externalId: "calendar-1",
    title: "Review (calendar)",
    scheduledTime: "2025-03-14T09:00:00.000Z",
    endTime: "2025-03-14T10:00:00.000Z",
    attendees: [
      { name: owner.name, email: owner.email, responseStatus: "accepted", organizer: true },
      { name: "Absent", email: "absent@example.com", responseStatus: "declined" },
      { name: "Silent", email: "silent@example.com" },
    ],
  },
});
