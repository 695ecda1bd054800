import { schema } from "@minutes/db";
import { type Meeting, openTestApi, type Person, type TestApi, waitForFeed } from "@minutes/testing";
import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { followMoves, identifyRecentPeople, identifyRemainingPeople } from "./background.js";

const { participants, people, personEmails, tasks } = schema;

let api: TestApi;
let given: TestApi["given"];
beforeAll(async () => {
  api = await openTestApi();
  given = api.given;
});
afterAll(() => api.close());

const NEVER = new AbortController().signal;
const said = (speakerId: string, speakerName: string, speakerEmail?: string) => ({
  ...{ speakerId, speakerName, text: "The wombat sleeps." },
  ...(speakerEmail === undefined ? {} : { speakerEmail }),
});
const toId = (list: readonly { id: string | null; name: string }[], name: string) =>
  list.find((one) => one.name === name)?.id;
const speakersOf = async ({ owner, meetingId }: Meeting) =>
  (await api.data(owner.key, "me/meetings.get", { meetingId })).participants;
const assigneesOf = async (owner: Person) =>
  (await api.data(owner.key, "me/tasks.list")).tasks.flatMap(({ assignee }) => (assignee ? [assignee] : []));
const listDirectory = async (email: string) =>
  api.db
    .select({ id: people.id, workspaceId: people.workspaceId })
    .from(people)
    .innerJoin(personEmails, eq(personEmails.personId, people.id))
    .where(eq(personEmails.email, email));

/** Stores what a process of the previous release would: labels without people. */
const forgetIds = (meetingId: string) =>
  api.db.transaction(async (tx) => {
    await tx.update(participants).set({ personId: null }).where(eq(participants.meetingId, meetingId));
    await tx.update(tasks).set({ assigneePersonId: null }).where(eq(tasks.meetingId, meetingId));
  });

describe("a person's ID", () => {
  test("200: is the same in all meetings and tasks of a workspace that have the address, and of no other", async () => {
    const company = await given.company();
    const [anna, boris] = [await given.member(company), await given.member(company)];
    const stranger = await given.person();
    const transcript = [said("s1", "Zoe", "zoe.same@example.com"), said("s2", "Guest")];
    const first = await given.meeting(anna, {
      transcript,
      tasks: [{ text: "a", assignee: { name: "Zoe" } }],
    });
    const second = await given.meeting(boris, { transcript: [said("a", "Zoë", "ZOE.same@example.com")] });
    await given.meeting(boris, {
      tasks: [{ text: "b", assignee: { name: "Z", email: "zoe.same@example.com" } }],
    });
    const elsewhere = await given.meeting(stranger, { transcript });
    const zoe = toId(await speakersOf(first), "Zoe");
    expect(zoe).toMatch(/^per_[0-9A-Za-z]{22}$/);
    expect(toId(await speakersOf(second), "Zoë")).toBe(zoe);
    expect([...(await assigneesOf(anna)), ...(await assigneesOf(boris))].map(({ id }) => id)).toEqual([
      zoe,
      zoe,
    ]);
    const other = await speakersOf(elsewhere);
    expect(toId(other, "Zoe")).not.toBe(zoe);
    expect(toId(other, "Guest")).not.toBe(toId(await speakersOf(first), "Guest"));
  });

  test("200: stays when the recorder sends the meeting again", async () => {
    const company = await given.company();
    const anna = await given.member(company);
    const key = await given.ingestKey(company);
    const meeting = {
      ...{ externalId: "people-again", ownerEmail: anna.email, title: "Weekly" },
      ...{ startTime: "2025-03-14T09:00:00.000Z", endTime: "2025-03-14T09:15:00.000Z" },
      transcript: [said("s1", "Zoe", "zoe.again@example.com"), said("s2", "Guest")],
      tasks: [{ text: "a", assignee: { name: "Guest" } }],
    };
    await api.call(key, "ingest/meetings.import", meeting);
    const read = async () => {
      const { meetings } = await api.data(anna.key, "me/meetings.list");
      return speakersOf({ meetingId: meetings[0]?.id ?? "", owner: anna, taskIds: [] });
    };
    const before = await read();
    const again = { ...meeting, transcript: [...meeting.transcript, said("s3", "New")], replace: true };
    expect((await api.call(key, "ingest/meetings.import", again)).status).toBe(200);
    expect(await read()).toEqual([
      ...before,
      { id: expect.stringMatching(/^per_/), name: "New", email: null },
    ]);
    expect(await assigneesOf(anna)).toEqual([{ id: toId(before, "Guest"), name: "Guest", email: null }]);
  });

  test("the directory forgets people known only from a deleted meeting", async () => {
    const anna = await given.person();
    const transcript = [
      said("s1", "Zoe", "zoe.deleted@example.com"),
      said("s2", "Yan", "yan.stays@example.com"),
    ];
    const gone = await given.meeting(anna, {
      transcript,
      tasks: [{ text: "a", assignee: { name: "X", email: "x.deleted@example.com" } }],
    });
    await given.meeting(anna, { transcript: [said("a", "Yan", "yan.stays@example.com")] });
    expect(await listDirectory("x.deleted@example.com")).toHaveLength(1);
    await api.data(anna.key, "me/meetings.delete", { meetingId: gone.meetingId });
    expect(await listDirectory("zoe.deleted@example.com")).toEqual([]);
    expect(await listDirectory("x.deleted@example.com")).toEqual([]);
    expect(await listDirectory("yan.stays@example.com")).toHaveLength(1);
  });
});

describe("meetings stored by the previous release", () => {
  test("200: recent ones are identified without a search of all", async () => {
    const anna = await given.person();
    const facts = { transcript: [said("s1", "Zoe", "zoe.recent@example.com")] };
    const [old, recent] = [await given.meeting(anna, facts), await given.meeting(anna, facts)];
    for (const { meetingId } of [old, recent]) await forgetIds(meetingId);
    const past = sql`now() - interval '2 hours'`;
    await api.db.execute(sql`update meetings set updated_at = ${past} where id = ${old.meetingId}`);
    await identifyRecentPeople(api.db, NEVER);
    expect((await speakersOf(old)).map(({ id }) => id)).toEqual(["s1"]);
    expect((await speakersOf(recent)).map(({ id }) => id)).toEqual([expect.stringMatching(/^per_/)]);
  });

  test("200: answer with labels, then with the same IDs as new meetings, and the feed sends them again", async () => {
    const anna = await given.person();
    const facts = {
      transcript: [said("s1", "Zoe", "zoe.old@example.com"), said("s2", "Guest")],
      tasks: [{ text: "a", assignee: { name: "Guest" } }],
    };
    const old = await given.meeting(anna, facts);
    const guest = toId(await speakersOf(old), "Guest");
    await forgetIds(old.meetingId);
    expect((await speakersOf(old)).map(({ id }) => id)).toEqual(["s1", "s2"]);
    expect(await assigneesOf(anna)).toMatchObject([{ id: "s2" }]);
    const { nextCursor: cursor } = await api.data(anna.key, "sync/me/changes.list");
    await identifyRemainingPeople(api.db, NEVER);
    const after = await speakersOf(old);
    const now = await given.meeting(anna, facts);
    expect(toId(after, "Zoe")).toBe(toId(await speakersOf(now), "Zoe"));
    expect(toId(after, "Guest")).not.toBe(guest);
    expect((await assigneesOf(anna)).map(({ id }) => id)).toContain(toId(after, "Guest"));
    await waitForFeed(api.db);
    const { changes } = await api.data(anna.key, "sync/me/changes.list", { cursor });
    expect(changes.map(({ id }) => id)).toEqual(expect.arrayContaining([old.meetingId, ...old.taskIds]));
    await identifyRemainingPeople(api.db, NEVER);
    expect(await speakersOf(old)).toEqual(after);
  });

  test("200: a task that an old process assigned to another speaker gets that speaker's person", async () => {
    const anna = await given.person();
    const meeting = await given.meeting(anna, {
      transcript: [said("s1", "Zoe"), said("s2", "Guest")],
      tasks: [{ text: "a", assignee: { name: "Guest" } }],
    });
    const [taskId = ""] = meeting.taskIds;
    await api.db.update(tasks).set({ assigneeId: "s1", assigneeName: "Zoe" }).where(eq(tasks.id, taskId));
    await identifyRemainingPeople(api.db, NEVER);
    expect(await assigneesOf(anna)).toEqual([
      { id: toId(await speakersOf(meeting), "Zoe"), name: "Zoe", email: null },
    ]);
  });

  test("200: a task of a speaker who is no longer in the meeting gets the person of its address", async () => {
    const anna = await given.member(await given.company());
    const { meetingId } = await given.meeting(anna, {
      transcript: [said("s1", "Zoe")],
      tasks: [{ text: "a", assignee: { name: "Zoe", email: "zoe.gone@example.com" } }],
    });
    await forgetIds(meetingId);
    await api.db.delete(participants).where(eq(participants.meetingId, meetingId));
    await identifyRemainingPeople(api.db, NEVER);
    const [known] = await listDirectory("zoe.gone@example.com");
    expect(await assigneesOf(anna)).toMatchObject([{ id: known?.id ?? "nobody" }]);
  });

  test("a killed job continues with the meetings that are left", async () => {
    const anna = await given.person();
    const meetings: Meeting[] = [];
    for (let number = 0; number < 3; number++)
      meetings.push(await given.meeting(anna, { transcript: [said("s1", "Zoe", "zoe.kill@example.com")] }));
    for (const { meetingId } of meetings) await forgetIds(meetingId);
    // Aborts after the first meeting, as a stopping server does.
    let asked = 0;
    const stopping = Object.defineProperty(new EventTarget(), "aborted", { get: () => ++asked > 1 });
    await identifyRemainingPeople(api.db, stopping as AbortSignal);
    const count = async () =>
      api.db.$count(
        participants,
        sql`person_id is null and meeting_id = any(array[${sql.join(
          meetings.map(({ meetingId }) => sql`${meetingId}`),
          sql`, `,
        )}])`,
      );
    expect(await count()).toBe(2);
    await identifyRemainingPeople(api.db, NEVER);
    expect(await count()).toBe(0);
    expect(await listDirectory("zoe.kill@example.com")).toHaveLength(1);
  });
});

describe("when an owner moves to another workspace", () => {
  test("200: their meetings get that workspace's people, and the old directory forgets those only they met", async () => {
    const [from, to] = [await given.company(), await given.company()];
    const [anna, stays, colleague] = [
      await given.member(from),
      await given.member(from),
      await given.member(to),
    ];
    const both = said("s1", "Zoe", "zoe.moves@example.com");
    const only = said("s2", "Yan", "yan.moves@example.com");
    const moved = await given.meeting(anna, {
      transcript: [both, only, said("s3", "Guest")],
      tasks: [{ text: "a", assignee: { name: "Zoe" } }],
    });
    await given.meeting(stays, { transcript: [both] });
    const there = await given.meeting(colleague, { transcript: [both] });
    const before = await speakersOf(moved);
    await given.joins(anna, to);
    await followMoves(api.db, NEVER);
    const after = await speakersOf(moved);
    expect(toId(after, "Zoe")).toBe(toId(await speakersOf(there), "Zoe"));
    expect(toId(after, "Zoe")).not.toBe(toId(before, "Zoe"));
    expect(toId(after, "Guest")).toBe(toId(before, "Guest"));
    expect(await assigneesOf(anna)).toMatchObject([{ id: toId(after, "Zoe") }]);
    expect(await listDirectory("yan.moves@example.com")).toMatchObject([{ workspaceId: to.workspaceId }]);
    expect((await listDirectory("zoe.moves@example.com")).length).toBe(2);
    expect(await api.db.$count(schema.peopleWork)).toBe(0);
  });

  test("200: a speaker without an address keeps their ID, and an assignee of that name with one is who has it", async () => {
    const [from, to] = [await given.company(), await given.company()];
    const anna = await given.member(from);
    const email = "guest.moves@example.com";
    const moved = await given.meeting(anna, {
      transcript: [said("s1", "Guest")],
      tasks: [{ text: "a", assignee: { name: "Guest", email } }],
    });
    const guest = toId(await speakersOf(moved), "Guest");
    for (const company of [to, from]) {
      await given.joins(anna, company);
      await followMoves(api.db, NEVER);
      expect((await speakersOf(moved)).map(({ id }) => id)).toEqual([guest]);
      const [known, ...others] = await listDirectory(email);
      expect([known?.workspaceId, others]).toEqual([company.workspaceId, []]);
      expect((await assigneesOf(anna)).map(({ id }) => id)).toEqual([known?.id]);
    }
  });
});
