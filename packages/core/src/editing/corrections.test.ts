import type { EditedTask, MeetingVersion } from "@minutes/contract";
import { schema } from "@minutes/db";
import { openTestApi, readPayload, type TestApi, waitForFeed } from "@minutes/testing";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { OPERATOR } from "../access/actor.js";
import { eraseFromMeetings, findPlaces } from "../erasure/index.js";
import { eraseUser } from "../workspaces/index.js";
import { createCorrectionCalls } from "./testing/calls.js";

const { meetingVersions } = schema;

let api: TestApi;
beforeAll(async () => {
  api = await openTestApi();
});
afterAll(() => api.close());

const { ask, askFor, countContents, createMeeting, edit, find, listVersions, read } = createCorrectionCalls(
  () => api,
);

describe("200: an edit by the owner", () => {
  test("changes title, times and summary, search by words, and the version", async () => {
    const { anna, meeting } = await createMeeting();
    const { meetingId } = meeting;
    const first = await edit(meeting, {
      ...{ baseVersion: 1, title: "Zeppelin retrospective", endTime: "2025-03-14T11:00:00.000Z" },
      summary: { markdown: "The **Gneiss** quarry opens." },
    });
    expect(first).toEqual({ meetingId, version: 2 });
    expect(await read(meeting)).toMatchObject({
      ...{ title: "Zeppelin retrospective", endTime: "2025-03-14T11:00:00.000Z" },
      summary: { markdown: "The **Gneiss** quarry opens.", html: expect.stringContaining("<strong>Gneiss") },
    });
    for (const word of ["zeppelin", "gneiss"]) expect(await find(anna, word)).toEqual([meetingId]);
    const { version, versions } = await listVersions(meeting);
    expect(version).toBe(2);
    expect(versions).toEqual([
      {
        ...{ version: 2, actor: anna.userId, actorName: anna.name, action: "edit", at: expect.any(String) },
        fields: ["endTime", "summary", "title"],
      },
      { version: 1, at: null, actor: null, actorName: null, action: null, fields: [] },
    ]);
    expect(
      await askFor<MeetingVersion>(anna, "meetings.getVersion", { meetingId, version: 1 }),
    ).toMatchObject({
      ...{ title: "Quarterly review", endTime: "2025-03-14T10:15:00.000Z" },
      summary: { markdown: "# Review\n\nThe **turbines** are late." },
    });
  });

  test("of a turn changes its text, its speaker and search results", async () => {
    const { anna, meeting } = await createMeeting();
    const { meetingId } = meeting;
    const { segments } = await askFor<{ segments: { speakerLabel: string }[] }>(anna, "meetings.transcript", {
      meetingId,
    });
    expect(segments.map(({ speakerLabel }) => speakerLabel)).toEqual(["s1", "s2"]);
    const turn = { meetingId, turn: 1, baseVersion: 1 };
    const changed = { spokenText: "Thanks. The windmills squeak.", speakerLabel: "s1" };
    await askFor(anna, "meetings.updateTurn", { ...turn, ...changed });
    expect((await read(meeting)).transcript).toContain(`**${anna.name}**: Thanks. The windmills squeak.`);
    expect(await find(anna, "windmills")).toEqual([meetingId]);
    for (const [wrong, error] of [
      [{ turn: 2, spokenText: "x" }, "The meeting has no such turn."],
      [{ turn: 1, speakerLabel: "s9" }, "The meeting has no speaker with this label."],
    ] as const) {
      const answer = await ask(anna, "meetings.updateTurn", { meetingId, baseVersion: 2, ...wrong });
      expect(answer).toEqual({ status: 404, body: { error } });
    }
    expect((await listVersions(meeting)).version).toBe(2);
  });

  test("of tasks adds, assigns, dates and deletes them; rows of /v1 have no due date", async () => {
    const { anna, meeting } = await createMeeting();
    const { meetingId } = meeting;
    const assignee = { name: anna.name, email: anna.email };
    const facts = { text: "Order the flywheel", assignee, due: "2026-03-14" };
    const { taskId, version } = await askFor<EditedTask>(anna, "tasks.create", {
      ...{ meetingId, baseVersion: 1, ...facts },
    });
    expect(await find(anna, "flywheel")).toEqual([meetingId]);
    type Tasks = { tasks: { id: string }[] };
    const listed = async (routes: "console" | "me") => {
      const page =
        routes === "me"
          ? await api.data(anna.key, "me/tasks.list", { meetingId })
          : await askFor<Tasks>(anna, "tasks.list", { meetingId });
      return (page as Tasks).tasks.find(({ id }) => id === taskId);
    };
    expect(await listed("console")).toMatchObject({ text: facts.text, due: "2026-03-14" });
    expect(await listed("me")).toMatchObject({ assignee: { name: anna.name, email: anna.email } });
    expect(await listed("me")).not.toHaveProperty("due");
    const changed = { meetingId, taskId, baseVersion: version, assignee: null, due: "2027-01-01" };
    await askFor(anna, "meetings.updateTask", changed);
    expect(await listed("console")).toMatchObject({ assignee: null, due: "2027-01-01" });
    await askFor(anna, "tasks.delete", { taskId, baseVersion: 3 });
    expect(await listed("me")).toBeUndefined();
    expect(await find(anna, "flywheel")).toEqual([]);
    expect((await listVersions(meeting)).versions.map(({ fields }) => fields)).toEqual([
      ...[["tasks"], ["tasks"], ["tasks"], []],
    ]);
  });

  test("that changes nothing keeps the version", async () => {
    const { meeting } = await createMeeting();
    expect((await edit(meeting, { baseVersion: 1, title: "Quarterly review" })).version).toBe(1);
    expect(await countContents(meeting)).toBe(0);
  });

  test("reaches copies by the change feed: the meeting, its tasks, and removals", async () => {
    const { anna, meeting } = await createMeeting();
    const { meetingId, taskIds } = meeting;
    await waitForFeed(api.db);
    const first = await api.data(anna.key, "sync/me/changes.list");
    await askFor(anna, "tasks.delete", { taskId: taskIds[0] ?? "", baseVersion: 1 });
    const { taskId } = await askFor<EditedTask>(anna, "tasks.create", {
      meetingId,
      baseVersion: 2,
      text: "New",
    });
    await edit(meeting, { baseVersion: 3, title: "Other" });
    await waitForFeed(api.db);
    const { changes } = await api.data(anna.key, "sync/me/changes.list", { cursor: first.nextCursor });
    const told = changes.map(({ type, id, op }) => `${op} ${type} ${id}`);
    expect(told).toEqual(
      expect.arrayContaining([
        `upsert meeting ${meetingId}`,
        `upsert task ${taskId}`,
        `removed task ${taskIds[0]}`,
      ]),
    );
  });
});

test("200: keys edit a meeting, a turn and tasks, and read versions", async () => {
  const { anna, company, meeting } = await createMeeting();
  const { meetingId, taskIds } = meeting;
  const mine = (operation: string, input: object) => api.call(anna.key, `rest/me/${operation}`, input);
  const ours = (operation: string, input: object) =>
    api.call(company.key, `rest/workspace/${operation}`, input);
  const edited = await mine("meetings.update", { meetingId, baseVersion: 1, title: "By key" });
  expect(readPayload(edited)).toEqual({ meetingId, version: 2 });
  const turn = { meetingId, turn: 0, baseVersion: 2, spokenText: "By key." };
  expect((await ours("meetings.updateTurn", turn)).status).toBe(200);
  const taskId = taskIds[0] ?? "";
  const due = "2026-03-14";
  expect((await ours("meetings.updateTask", { meetingId, taskId, baseVersion: 3, due })).status).toBe(200);
  expect(readPayload(await mine("tasks.get", { taskId }))).toMatchObject({ due });
  expect((await mine("tasks.delete", { taskId, baseVersion: 4 })).status).toBe(200);
  expect(readPayload(await mine("meetings.listVersions", { meetingId }))).toMatchObject({ version: 5 });
  expect(readPayload(await mine("meetings.getVersion", { meetingId, version: 1 }))).toMatchObject({
    title: "Quarterly review",
  });
  expect((await mine("meetings.update", { meetingId, baseVersion: 1, title: "Late" })).status).toBe(409);
});

describe("nothing is left of versions", () => {
  test("after the meeting is deleted, and after its owner is removed", async () => {
    const { anna, meeting } = await createMeeting();
    const other = await api.given.richMeeting(anna);
    for (const one of [meeting, other]) await edit(one, { baseVersion: 1, title: "Two" });
    await api.data(anna.key, "me/meetings.delete", { meetingId: meeting.meetingId });
    expect(await countContents(meeting)).toBe(0);
    expect(await countContents(other)).toBe(1);
    await eraseUser(api.db, OPERATOR, anna.userId);
    const rows = await api.db.$count(
      meetingVersions,
      sql`${meetingVersions.meetingId} in (${meeting.meetingId}, ${other.meetingId})`,
    );
    expect([rows, await countContents(other)]).toEqual([0, 0]);
  });

  test("after the erasure of a person who is only in an earlier version", async () => {
    const { anna, meeting } = await createMeeting();
    const { meetingId, taskIds } = meeting;
    const email = "gone-from-versions@example.com";
    const sought = { emails: [email], personIds: [], addressIds: [], names: [], isGuess: false };
    const assignee = { name: "Gustav", email };
    const taskId = taskIds[2] ?? "";
    await askFor(anna, "meetings.updateTask", { meetingId, taskId, baseVersion: 1, assignee });
    await askFor(anna, "meetings.updateTask", { meetingId, taskId, baseVersion: 2, assignee: null });
    expect((await findPlaces(api.db, sought)).map(({ table }) => table)).toEqual([
      "meeting_version_contents",
    ]);
    expect(await eraseFromMeetings(api.db, OPERATOR, sought, 100)).toEqual([meetingId]);
    expect(await findPlaces(api.db, sought)).toEqual([]);
    expect(await listVersions(meeting)).toMatchObject({ version: 3, versions: [{ version: 3 }] });
    expect((await edit(meeting, { baseVersion: 3, title: "Next" })).version).toBe(4);
  });
});
