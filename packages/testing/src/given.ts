import { MeetingImport, type MeetingImportInput, type Plan } from "@minutes/contract";
import {
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
import { type Company, insertCompany, insertPerson, insertSession, type Person } from "./accounts.js";
import { createIngestKey, createPersonalKey, createWorkspaceKey } from "./keys.js";

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

/** What tests choose of a new user. */
interface PersonFacts {
  readonly email?: string;
  readonly name?: string;
}

const describePerson = (facts: PersonFacts) => {
  const number = next();
  return {
    email: facts.email ?? `person${number}@example.com`,
    name: facts.name ?? `Person ${number}`,
  };
};

/**
 * Creates factories that read as sentences, such as `const anna = await given.member(company)`. Accounts are inserted by
 * one statement each; what they do afterwards is stored through real code.
 */
export function givenOn(db: Database) {
  /** Creates a user in their own workspace, by default on a plan with keys. */
  const person = ({ plan, ...facts }: PersonFacts & { plan?: Plan } = {}): Promise<Person> =>
    insertPerson(db, describePerson(facts), { plan });

  /** Creates a workspace with an admin and a workspace key. */
  async function company(facts: { plan?: Plan; name?: string } = {}): Promise<Company> {
    const name = facts.name ?? `Company ${next()}`;
    return insertCompany(db, { name, plan: facts.plan ?? "team" }, describePerson({}));
  }

  const joins = (who: Person, where: Company) => joinWorkspace(db, OPERATOR, who.userId, where.workspaceId);
  const leaves = (who: Person) => leaveWorkspace(db, OPERATOR, who.userId);

  /** Creates a member of the company. */
  const member = ({ workspaceId }: Company, facts: PersonFacts = {}): Promise<Person> =>
    insertPerson(db, describePerson(facts), { workspaceId });

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
    if (whole.tasks.length === 0) return { meetingId, owner, taskIds: [] };
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
  const session = (who: Pick<Person, "userId">) => insertSession(db, who.userId);

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
