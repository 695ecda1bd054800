import { MeetingImport, type MeetingImportInput } from "@minutes/contract";
import { schema } from "@minutes/db";
import { asUser, openTestApi, type Person, type TestApi } from "@minutes/testing";
import { and, eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { OPERATOR } from "../access/actor.js";
import { setEmail } from "../workspaces/index.js";
import { importMeeting, NO_SUMMARIES, uploadMeeting } from "./index.js";

const { auditLog, meetings, members, recordings } = schema;

let api: TestApi;
let given: TestApi["given"];
beforeAll(async () => {
  api = await openTestApi();
  given = api.given;
});
afterAll(() => api.close());

const bring = (owner: Person, facts: Partial<MeetingImportInput> = {}) =>
  importMeeting(
    api.db,
    MeetingImport.parse({
      externalId: "rec-1",
      ownerEmail: owner.email,
      title: "Meeting",
      startTime: "2025-01-01T10:00:00Z",
      ...facts,
    }),
  );
const count = async (who: Person) => (await api.data(who.key, "me/meetings.list")).meetings.length;

test("lists show a meeting's tasks in its order", async () => {
  const anna = await given.person();
  const texts = ["one", "two", "three", "four", "five", "six", "seven", "eight"];
  await bring(anna, { tasks: texts.map((text) => ({ text })) });
  const { tasks } = await api.data(anna.key, "me/tasks.list");
  expect(tasks.map(({ text }) => text)).toEqual(texts);
});

describe("idempotent by externalId, within the owner's workspace", () => {
  test("the same input is a no-op, however it is formatted", async () => {
    const anna = await given.person();
    const first = await bring(anna);
    expect(first.created).toBe(true);
    const again = await bring(anna, {
      title: "  Meeting ",
      ownerEmail: anna.email.toUpperCase(),
      startTime: "2025-01-01T11:00:00+01:00",
    });
    expect(again).toMatchObject({ meetingId: first.meetingId, created: false });
    expect(await count(anna)).toBe(1);
  });

  test("the same input after its owner's address changed, and 409 for another owner", async () => {
    const company = await given.company();
    const [anna, boris] = [await given.member(company), await given.member(company)];
    const first = await bring(anna);
    const email = `new.${anna.email}`;
    await setEmail(api.db, OPERATOR, anna.userId, email);
    expect(await bring({ ...anna, email })).toMatchObject({ meetingId: first.meetingId, created: false });
    await expect(bring(boris)).rejects.toMatchObject({ code: "CONFLICT" });
  });

  test("409: a different meeting with the same id", async () => {
    const anna = await given.person();
    await bring(anna);
    await expect(bring(anna, { title: "Another" })).rejects.toMatchObject({
      code: "CONFLICT",
      message: "A different meeting with this externalId exists.",
    });
  });

  test("409: a deleted meeting is not restored", async () => {
    const anna = await given.person();
    const { meetingId } = await bring(anna);
    await api.data(anna.key, "me/meetings.delete", { meetingId });
    await expect(bring(anna)).rejects.toMatchObject({
      code: "CONFLICT",
      message: "A meeting with this externalId was deleted and is not imported again.",
    });
    expect(await count(anna)).toBe(0);
  });

  test("another workspace has its own ids", async () => {
    const [anna, ben] = [await given.person(), await given.person()];
    expect((await bring(anna)).meetingId).not.toBe((await bring(ben)).meetingId);
  });

  test("twenty concurrent imports create one meeting", async () => {
    const anna = await given.person();
    const results = await Promise.all(
      Array.from({ length: 20 }, () => bring(anna, { tags: [{ name: "x" }] })),
    );
    expect(results.filter((result) => result.created)).toHaveLength(1);
    expect(new Set(results.map((result) => result.meetingId)).size).toBe(1);
    expect(await count(anna)).toBe(1);
  });
});

test("concurrent uploads of a meeting create it once, with one entry in the audit log", async () => {
  const anna = await given.person();
  const [member] = await api.db.select().from(members).where(eq(members.userId, anna.userId));
  const caller = asUser(anna.userId, member?.workspaceId);
  const facts = {
    externalId: "notes",
    ownerEmail: anna.email,
    title: "Notes",
    startTime: "2025-01-01T10:00:00Z",
  };
  const upload = () => uploadMeeting(api.db, caller, MeetingImport.parse(facts), NO_SUMMARIES);
  const results = await Promise.all([upload(), upload(), upload()]);
  expect(results.map(({ created }) => created).toSorted()).toEqual([false, false, true]);
  const entries = and(
    eq(auditLog.action, "import.meeting"),
    eq(auditLog.object, results[0]?.meetingId ?? ""),
  );
  expect(await api.db.$count(auditLog, entries)).toBe(1);
});

test("404: an unknown owner", async () => {
  const stranger = { email: "nobody@example.com" } as Person;
  await expect(bring(stranger)).rejects.toMatchObject({ code: "NOT_FOUND" });
});

test("all or nothing: an error halfway leaves no trace", async () => {
  const anna = await given.person();
  await api.db.execute(
    sql`alter table search_chunks add constraint never check (text not like '%forbidden%')`,
  );
  const transcript = [{ speakerId: "s", speakerName: "A", text: "forbidden" }];
  await expect(bring(anna, { transcript, tags: [{ name: "t" }] })).rejects.toThrow();
  await api.db.execute(sql`alter table search_chunks drop constraint never`);
  expect(await count(anna)).toBe(0);
  expect((await api.data(anna.key, "me/tags.list")).tags).toEqual([]);
  expect((await bring(anna, { transcript })).created).toBe(true);
});

test("a long meeting is stored in full: 3,000 turns, 600 tasks, 500 attendees", async () => {
  const anna = await given.person();
  const { meetingId } = await bring(anna, {
    transcript: Array.from({ length: 3_000 }, (_, at) => ({
      speakerId: `s${at % 700}`,
      speakerName: `Speaker ${at % 700}`,
      text: `Turn ${at}.`,
    })),
    tasks: Array.from({ length: 600 }, (_, at) => ({ text: `Task ${at}` })),
    calendarEvent: {
      attendees: Array.from({ length: 500 }, (_, at) => ({ name: `A ${at}`, email: `a${at}@example.com` })),
    },
  });
  const detail = await api.data(anna.key, "me/meetings.get", { meetingId });
  expect(detail.transcript.split("\n\n")).toHaveLength(3_000);
  expect(detail.transcript.endsWith("Turn 2999.")).toBe(true);
  expect(new Set(detail.participants.map((one) => one.id)).size).toBe(700);
  expect(detail.tasks.map((task) => task.content)).toEqual(
    Array.from({ length: 600 }, (_, at) => `Task ${at}`),
  );
  expect(detail.event.attendees.at(-1)?.name).toBe("A 499");
});

test("a meeting with as many speakers, attendees and tasks as it can have is stored in full", async () => {
  const anna = await given.person();
  const people = Array.from({ length: 1_000 }, (_, at) => ({
    name: `Person ${at}`,
    email: `${at}@example.com`,
  }));
  const { meetingId } = await bring(anna, {
    transcript: people.map(({ name, email }) => ({
      speakerId: email,
      speakerName: name,
      speakerEmail: email,
      text: "Yes.",
    })),
    calendarEvent: { attendees: people },
    tasks: people.map(({ name, email }) => ({ text: "Call", assignee: { name, email: `task.${email}` } })),
  });
  const { participants, event, tasks } = await api.data(anna.key, "me/meetings.get", { meetingId });
  expect([participants, event.attendees, tasks].map(({ length }) => length)).toEqual([1_000, 1_000, 1_000]);
});

describe("over an existing meeting", () => {
  test("replace and restore work as in ingest, and charge and lock nothing", async () => {
    const anna = await given.person({ plan: "free" });
    const whole = (facts: object) => ({
      ...MeetingImport.parse({
        externalId: "over-1",
        ownerEmail: anna.email,
        title: "Meeting",
        startTime: "2025-01-01T10:00:00Z",
        endTime: "2025-01-01T20:00:00Z",
        summary: { markdown: "Long." },
        ...facts,
      }),
    });
    const first = await importMeeting(api.db, whole({ tasks: [{ text: "One" }] }));
    const next = whole({ title: "Changed" });
    expect(await importMeeting(api.db, { ...next, replace: true })).toEqual({
      meetingId: first.meetingId,
      created: false,
      replaced: true,
    });
    expect(await importMeeting(api.db, next)).toMatchObject({ meetingId: first.meetingId, created: false });
    const [stored] = await api.db.select().from(meetings).where(eq(meetings.id, first.meetingId));
    expect(stored?.title).toBe("Changed");
    await api.db.delete(meetings).where(eq(meetings.id, first.meetingId));
    await api.db
      .update(recordings)
      .set({ state: "deleted", contentHash: null })
      .where(eq(recordings.id, first.meetingId));
    await expect(importMeeting(api.db, { ...next, replace: true })).rejects.toMatchObject({
      code: "CONFLICT",
    });
    const restored = await importMeeting(api.db, { ...next, restore: true });
    expect(restored).toEqual({ meetingId: expect.not.stringMatching(first.meetingId), created: true });
  });
});
