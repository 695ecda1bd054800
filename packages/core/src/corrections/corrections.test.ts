import type { EditedMeeting, EditedTask, MeetingVersion, MeetingVersions } from "@minutes/contract";
import { schema } from "@minutes/db";
import { startTestServer, type TestServer } from "@minutes/server/testing";
import { createConsoleCalls, type Meeting, type Person, send, waitForFeed } from "@minutes/testing";
import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { OPERATOR } from "../actor.js";
import { eraseFromMeetings, findAddress } from "../persons/index.js";
import { purgeVersions } from "../versions/index.js";
import { eraseUser } from "../workspaces/index.js";

const { meetingVersionContents, meetingVersions, summaries } = schema;

let server: TestServer;
let given: TestServer["given"];
beforeAll(async () => {
  server = await startTestServer();
  given = server.given;
});
afterAll(() => server.close());

const READS = ["meetings.versions", "meetings.version", "meetings.transcript", "tasks.list"];
const { ask, askFor } = createConsoleCalls(() => server, READS);
const versionsOf = ({ owner, meetingId }: Meeting) =>
  askFor<MeetingVersions>(owner, "meetings.versions", { meetingId });
const edit = ({ owner, meetingId }: Meeting, input: object) =>
  askFor<EditedMeeting>(owner, "meetings.edit", { meetingId, ...input });
const read = ({ owner, meetingId }: Meeting) => server.data(owner.key, "me/meetings.get", { meetingId });
const find = async (who: Person, query: string) => {
  const { results } = await server.data(who.key, "me/meetings.search", { query, startDate: "2000-01-01" });
  return [...new Set(results.map(({ meetingId }) => meetingId))];
};
const contentsOf = ({ meetingId }: Meeting) =>
  server.db.$count(meetingVersionContents, eq(meetingVersionContents.meetingId, meetingId));

async function annaWithMeeting() {
  const company = await given.company();
  const anna = await given.member(company);
  return { company, anna, meeting: await given.richMeeting(anna) };
}

describe("200: an edit by the owner", () => {
  test("changes title, times and summary, search by words, and the version", async () => {
    const { anna, meeting } = await annaWithMeeting();
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
    const { version, versions } = await versionsOf(meeting);
    expect(version).toBe(2);
    expect(versions).toEqual([
      {
        ...{ version: 2, actor: anna.userId, actorName: anna.name, action: "edit", at: expect.any(String) },
        fields: ["endTime", "summary", "title"],
      },
      { version: 1, at: null, actor: null, actorName: null, action: null, fields: [] },
    ]);
    expect(await askFor<MeetingVersion>(anna, "meetings.version", { meetingId, version: 1 })).toMatchObject({
      ...{ title: "Quarterly review", endTime: "2025-03-14T10:15:00.000Z" },
      summary: { markdown: "# Review\n\nThe **turbines** are late." },
    });
  });

  test("of a turn changes its text, its speaker and search results", async () => {
    const { anna, meeting } = await annaWithMeeting();
    const { meetingId } = meeting;
    const { segments } = await askFor<{ segments: { speakerLabel: string }[] }>(anna, "meetings.transcript", {
      meetingId,
    });
    expect(segments.map(({ speakerLabel }) => speakerLabel)).toEqual(["s1", "s2"]);
    const turn = { meetingId, turn: 1, baseVersion: 1 };
    const changed = { spokenText: "Thanks. The windmills squeak.", speakerLabel: "s1" };
    await askFor(anna, "meetings.editTurn", { ...turn, ...changed });
    expect((await read(meeting)).transcript).toContain(`**${anna.name}**: Thanks. The windmills squeak.`);
    expect(await find(anna, "windmills")).toEqual([meetingId]);
    for (const [wrong, error] of [
      [{ turn: 2, spokenText: "x" }, "The meeting has no such turn."],
      [{ turn: 1, speakerLabel: "s9" }, "The meeting has no speaker with this label."],
    ] as const) {
      const answer = await ask(anna, "meetings.editTurn", { meetingId, baseVersion: 2, ...wrong });
      expect(answer).toEqual({ status: 404, body: { error } });
    }
    expect((await versionsOf(meeting)).version).toBe(2);
  });

  test("of tasks adds, assigns, dates and deletes them; rows of /v1 have no due date", async () => {
    const { anna, meeting } = await annaWithMeeting();
    const { meetingId } = meeting;
    const assignee = { name: anna.name, email: anna.email };
    const facts = { text: "Order the flywheel", assignee, due: "2026-03-14" };
    const { taskId, version } = await askFor<EditedTask>(anna, "tasks.add", {
      ...{ meetingId, baseVersion: 1, ...facts },
    });
    expect(await find(anna, "flywheel")).toEqual([meetingId]);
    type Tasks = { tasks: { id: string }[] };
    const listed = async (routes: "console" | "me") => {
      const page =
        routes === "me"
          ? await server.data(anna.key, "me/tasks.list", { meetingId })
          : await askFor<Tasks>(anna, "tasks.list", { meetingId });
      return (page as Tasks).tasks.find(({ id }) => id === taskId);
    };
    expect(await listed("console")).toMatchObject({ text: facts.text, due: "2026-03-14" });
    expect(await listed("me")).toMatchObject({ assignee: { name: anna.name, email: anna.email } });
    expect(await listed("me")).not.toHaveProperty("due");
    const changed = { taskId, baseVersion: version, assignee: null, due: "2027-01-01" };
    await askFor(anna, "tasks.edit", changed);
    expect(await listed("console")).toMatchObject({ assignee: null, due: "2027-01-01" });
    await askFor(anna, "tasks.delete", { taskId, baseVersion: 3 });
    expect(await listed("me")).toBeUndefined();
    expect(await find(anna, "flywheel")).toEqual([]);
    expect((await versionsOf(meeting)).versions.map(({ fields }) => fields)).toEqual([
      ...[["tasks"], ["tasks"], ["tasks"], []],
    ]);
  });

  test("that changes nothing keeps the version", async () => {
    const { meeting } = await annaWithMeeting();
    expect((await edit(meeting, { baseVersion: 1, title: "Quarterly review" })).version).toBe(1);
    expect(await contentsOf(meeting)).toBe(0);
  });

  test("reaches copies by the change feed: the meeting, its tasks, and removals", async () => {
    const { anna, meeting } = await annaWithMeeting();
    const { meetingId, taskIds } = meeting;
    await waitForFeed(server.db);
    const first = await server.data(anna.key, "sync/me/changes.list");
    await askFor(anna, "tasks.delete", { taskId: taskIds[0] ?? "", baseVersion: 1 });
    const { taskId } = await askFor<EditedTask>(anna, "tasks.add", {
      meetingId,
      baseVersion: 2,
      text: "New",
    });
    await edit(meeting, { baseVersion: 3, title: "Other" });
    await waitForFeed(server.db);
    const { changes } = await server.data(anna.key, "sync/me/changes.list", { cursor: first.nextCursor });
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

describe("409: a stale edit", () => {
  test("names the changed parts, and changes nothing", async () => {
    const { anna, meeting } = await annaWithMeeting();
    await edit(meeting, { baseVersion: 1, title: "One" });
    await askFor(anna, "tasks.delete", { taskId: meeting.taskIds[0] ?? "", baseVersion: 2 });
    const input = { meetingId: meeting.meetingId, title: "Two" };
    expect(await ask(anna, "meetings.edit", { ...input, baseVersion: 1 })).toEqual({
      status: 409,
      body: {
        error:
          "The meeting has changed since version 1 and is at version 3 (title, tasks). Read it again, then repeat the edit.",
      },
    });
    expect(await ask(anna, "meetings.edit", { ...input, baseVersion: 9 })).toMatchObject({
      status: 409,
      body: { error: "The meeting has no version 9: it is at version 3." },
    });
    expect((await read(meeting)).title).toBe("One");
  });

  test("of twenty concurrent edits of one version, one wins", async () => {
    const { anna, meeting } = await annaWithMeeting();
    const { meetingId } = meeting;
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) =>
        ask(anna, "meetings.edit", { meetingId, baseVersion: 1, title: `Title ${at}` }),
      ),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array(19).fill(409)]);
    const winner = answers.findIndex(({ status }) => status === 200);
    expect((await read(meeting)).title).toBe(`Title ${winner}`);
    expect((await versionsOf(meeting)).version).toBe(2);
  });
});

test("all or nothing: an edit that fails halfway leaves no trace, in content, search or versions", async () => {
  const { anna, meeting } = await annaWithMeeting();
  await server.db.execute(
    sql`alter table search_chunks add constraint never check (text not like '%forbidden%')`,
  );
  const input = { meetingId: meeting.meetingId, baseVersion: 1 };
  const summary = { markdown: "forbidden words" };
  expect((await ask(anna, "meetings.edit", { ...input, title: "Halfway", summary })).status).toBe(500);
  await server.db.execute(sql`alter table search_chunks drop constraint never`);
  expect(await read(meeting)).toMatchObject({ title: "Quarterly review", tasks: { length: 3 } });
  expect(await find(anna, "turbines")).toEqual([meeting.meetingId]);
  expect([(await versionsOf(meeting)).version, await contentsOf(meeting)]).toEqual([1, 0]);
});

describe("400 and 409: refused edits", () => {
  test("an end before the start leaves the meeting unchanged", async () => {
    const { anna, meeting } = await annaWithMeeting();
    const input = {
      meetingId: meeting.meetingId,
      baseVersion: 1,
      endTime: "2020-01-01T00:00:00Z",
      title: "X",
    };
    expect(await ask(anna, "meetings.edit", input)).toEqual({
      status: 400,
      body: { error: "endTime must not be before startTime." },
    });
    expect((await read(meeting)).title).toBe("Quarterly review");
  });

  test.each([
    [
      "meetings.edit",
      { meetingId: "m", baseVersion: 1 },
      "Nothing to change: give at least one field to edit.",
    ],
    ["meetings.edit", { meetingId: "m", title: "x" }, "baseVersion must be given"],
    [
      "meetings.edit",
      { meetingId: "m", baseVersion: 1, title: "" },
      "title must be a text of 1 to 1,000 characters",
    ],
    [
      "meetings.editTurn",
      { meetingId: "m", turn: -1, baseVersion: 1, spokenText: "" },
      "turn must not be below 0",
    ],
    [
      "tasks.edit",
      { taskId: "t", baseVersion: 1, due: "2026-02-30" },
      "due must be a day such as 2026-03-14",
    ],
  ])("400: %s with %j", async (procedure, input, error) => {
    const { anna } = await annaWithMeeting();
    expect(await ask(anna, procedure, input)).toEqual({ status: 400, body: { error } });
  });

  test("a locked summary can't be edited, and is hidden in versions", async () => {
    const { anna, meeting } = await annaWithMeeting();
    const { meetingId } = meeting;
    await edit(meeting, { baseVersion: 1, summary: { markdown: "Second." } });
    await server.db.update(summaries).set({ locked: true }).where(eq(summaries.meetingId, meetingId));
    expect(
      await ask(anna, "meetings.edit", { meetingId, baseVersion: 2, summary: { markdown: "Third." } }),
    ).toEqual({
      status: 409,
      body: { error: "The summary is locked by the plan's limits, so it can't be edited." },
    });
    for (const version of [1, 2])
      expect(await askFor(anna, "meetings.version", { meetingId, version })).toMatchObject({ summary: null });
    await askFor(anna, "meetings.restoreVersion", { meetingId, version: 1, baseVersion: 2 });
    const [stored] = await server.db.select().from(summaries).where(eq(summaries.meetingId, meetingId));
    expect(stored).toMatchObject({ locked: true, markdown: "Second." });
  });
});

describe("200: restoring a version", () => {
  test("brings back everything but the state of tasks, as a new version that can be undone", async () => {
    const { anna, meeting } = await annaWithMeeting();
    const { meetingId, taskIds } = meeting;
    const original = await read(meeting);
    await edit(meeting, { baseVersion: 1, title: "Two", summary: null, startTime: "2025-03-14T09:00:00Z" });
    await askFor(anna, "meetings.editTurn", { meetingId, turn: 0, baseVersion: 2, spokenText: "Changed." });
    await askFor(anna, "tasks.delete", { taskId: taskIds[0] ?? "", baseVersion: 3 });
    await askFor(anna, "tasks.add", { meetingId, baseVersion: 4, text: "Later" });
    await askFor(anna, "tasks.edit", { taskId: taskIds[2] ?? "", baseVersion: 5, text: "Reworded" });
    await server.data(anna.key, "me/tasks.update", { taskId: taskIds[2] ?? "", completed: true });
    const edited = await read(meeting);
    await askFor(anna, "meetings.restoreVersion", { meetingId, version: 1, baseVersion: 6 });
    const [first, second, third] = original.tasks;
    expect(await read(meeting)).toEqual({
      ...original,
      tasks: [first, second, { ...third, completed: true }],
    });
    expect(await find(anna, "supplier")).toEqual([meetingId]);
    await askFor(anna, "meetings.restoreVersion", { meetingId, version: 6, baseVersion: 7 });
    expect(await read(meeting)).toEqual(edited);
    const { versions } = await versionsOf(meeting);
    expect(versions.map(({ action }) => action)).toEqual([
      ...["restore", "restore", "edit", "edit", "edit", "edit", "edit", null],
    ]);
  });

  test("undoes a recorder's replacement, also after an edit of the new transcript", async () => {
    const { company, anna, meeting } = await annaWithMeeting();
    const { meetingId } = meeting;
    await askFor(anna, "meetings.editTurn", { meetingId, turn: 0, baseVersion: 1, spokenText: "Corrected." });
    const before = await read(meeting);
    const [recording] = await server.db
      .select()
      .from(schema.recordings)
      .where(eq(schema.recordings.id, meetingId));
    const recorder = await given.ingestKey(company);
    const answer = await server.call(recorder, "ingest/meetings.import", {
      ...{ externalId: recording?.externalId, ownerEmail: anna.email, title: "Replaced", replace: true },
      ...{ startTime: "2025-03-14T09:30:00Z", tasks: [{ text: "Other" }] },
      transcript: [{ speakerId: "x", speakerName: "Xaver", text: "Something else." }],
    });
    expect(answer.status).toBe(200);
    const [version] = (await versionsOf(meeting)).versions;
    expect(version).toMatchObject({ version: 3, action: "replace", actor: expect.stringMatching(/^key_/) });
    await askFor(anna, "meetings.editTurn", { meetingId, turn: 0, baseVersion: 3, spokenText: "Else." });
    await askFor(anna, "meetings.restoreVersion", { meetingId, version: 2, baseVersion: 4 });
    expect(await read(meeting)).toEqual(before);
    expect(await find(anna, "corrected")).toEqual([meetingId]);
    await askFor(anna, "meetings.restoreVersion", { meetingId, version: 1, baseVersion: 5 });
    expect((await read(meeting)).transcript).toContain("Welcome to the review.");
  });

  test("404: a version that isn't kept, or doesn't exist", async () => {
    const { anna, meeting } = await annaWithMeeting();
    const { meetingId } = meeting;
    for (const title of ["2", "3", "4"]) await edit(meeting, { baseVersion: Number(title) - 1, title });
    await purgeVersions(server.db, { kept: 2, days: 400 });
    const { versions } = await versionsOf(meeting);
    expect(versions.map(({ version }) => version)).toEqual([4, 3, 2]);
    const status = async (version: number) =>
      (await ask(anna, "meetings.version", { meetingId, version })).status;
    expect([await status(1), await status(2), await status(5)]).toEqual([404, 200, 404]);
    await server.db.update(meetingVersions).set({ at: "2020-01-01T00:00:00.000Z" });
    await purgeVersions(server.db, { kept: 2, days: 400 });
    expect((await versionsOf(meeting)).versions.map(({ version }) => version)).toEqual([4]);
    expect((await edit(meeting, { baseVersion: 4, title: "5" })).version).toBe(5);
  });
});

describe("versions and tasks.update of /v1", () => {
  test("a new text creates a version, completing doesn't", async () => {
    const { anna, company, meeting } = await annaWithMeeting();
    const [taskId] = meeting.taskIds;
    await server.data(anna.key, "me/tasks.update", { taskId, completed: true });
    expect((await versionsOf(meeting)).version).toBe(1);
    await server.data(anna.key, "me/tasks.update", { taskId, text: "Reworded" });
    await server.data(company.key, "workspace/tasks.update", { taskId, text: "Reworded again" });
    const { versions } = await versionsOf(meeting);
    expect(versions.map(({ actor }) => actor)).toEqual([company.keyId, anna.userId, null]);
  });
});

describe("403 and 404: only editors can read versions", () => {
  test("readers of a share, admins with a personal key, other workspaces, and owners who left", async () => {
    const { company, anna, meeting } = await annaWithMeeting();
    const { meetingId, taskIds } = meeting;
    const boris = await given.member(company);
    await given.shared(meeting, boris);
    await edit(meeting, { baseVersion: 1, title: "Two" });
    const calls = [
      ["meetings.versions", { meetingId }],
      ["meetings.version", { meetingId, version: 1 }],
      ["meetings.edit", { meetingId, baseVersion: 2, title: "Mine" }],
      ["meetings.editTurn", { meetingId, turn: 0, baseVersion: 2, spokenText: "Mine" }],
      ["meetings.restoreVersion", { meetingId, version: 1, baseVersion: 2 }],
      ["tasks.add", { meetingId, baseVersion: 2, text: "Mine" }],
    ] as const;
    for (const who of [boris, company.admin, await given.person()])
      for (const [procedure, input] of calls)
        expect(await ask(who, procedure, input)).toEqual({
          status: 403,
          body: { error: "Access denied. You can only edit your own meetings." },
        });
    for (const who of [boris, company.admin])
      for (const procedure of ["tasks.edit", "tasks.delete"]) {
        const text = procedure === "tasks.edit" ? { text: "Mine" } : {};
        const input = { taskId: taskIds[0] ?? "", baseVersion: 2, ...text };
        expect((await ask(who, procedure, input)).status).toBe(404);
      }
    const headers = { "x-api-key": company.key };
    const path = `/rest/v1/workspace/meetings/${meetingId}/versions`;
    expect((await send(server.url, path, { headers })).status).toBe(200);
    await given.leaves(anna);
    expect((await send(server.url, path, { headers })).status).toBe(403);
  });
});

describe("REST", () => {
  test("200: edits a meeting, a turn and tasks, and reads versions", async () => {
    const { anna, company, meeting } = await annaWithMeeting();
    const { meetingId, taskIds } = meeting;
    const call = (key: string, method: string, path: string, body?: object) =>
      send(server.url, `/rest/v1${path}`, {
        method,
        headers: { "x-api-key": key, ...(body ? { "content-type": "application/json" } : {}) },
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
    const at = `/me/meetings/${meetingId}`;
    const workspace = `/workspace/meetings/${meetingId}`;
    expect((await call(anna.key, "PATCH", at, { baseVersion: 1, title: "REST" })).body).toEqual({
      ...{ meetingId, version: 2 },
    });
    const turn = { baseVersion: 2, spokenText: "Over REST." };
    expect((await call(company.key, "PATCH", `${workspace}/transcript/0`, turn)).status).toBe(200);
    const [taskId] = taskIds;
    const due = { baseVersion: 3, due: "2026-03-14" };
    expect((await call(company.key, "PATCH", `${workspace}/tasks/${taskId}`, due)).status).toBe(200);
    expect((await call(anna.key, "GET", `/me/tasks/${taskId}`)).body).toMatchObject({ due: "2026-03-14" });
    expect((await call(anna.key, "DELETE", `/me/tasks/${taskId}?baseVersion=4`)).status).toBe(200);
    expect((await call(anna.key, "GET", `${at}/versions`)).body).toMatchObject({ version: 5 });
    expect((await call(anna.key, "GET", `${at}/versions/1`)).body).toMatchObject({
      title: "Quarterly review",
    });
    expect((await call(anna.key, "PATCH", at, { baseVersion: 1, title: "Late" })).status).toBe(409);
    expect((await call(anna.key, "PATCH", `${at}/transcript/one`, turn)).status).toBe(400);
  });
});

describe("nothing is left of versions", () => {
  test("after the meeting is deleted, and after its owner is removed", async () => {
    const { anna, meeting } = await annaWithMeeting();
    const other = await given.richMeeting(anna);
    for (const one of [meeting, other]) await edit(one, { baseVersion: 1, title: "Two" });
    await server.data(anna.key, "me/meetings.delete", { meetingId: meeting.meetingId });
    expect(await contentsOf(meeting)).toBe(0);
    expect(await contentsOf(other)).toBe(1);
    await eraseUser(server.db, OPERATOR, anna.userId);
    const rows = await server.db.$count(
      meetingVersions,
      sql`${meetingVersions.meetingId} in (${meeting.meetingId}, ${other.meetingId})`,
    );
    expect([rows, await contentsOf(other)]).toEqual([0, 0]);
  });

  test("after the erasure of a person who is only in an earlier version", async () => {
    const { anna, meeting } = await annaWithMeeting();
    const { meetingId, taskIds } = meeting;
    const email = "gone-from-versions@example.com";
    const assignee = { name: "Gustav", email };
    const taskId = taskIds[2] ?? "";
    await askFor(anna, "tasks.edit", { taskId, baseVersion: 1, assignee });
    await askFor(anna, "tasks.edit", { taskId, baseVersion: 2, assignee: null });
    expect((await findAddress(server.db, email)).map(({ table }) => table)).toEqual([
      "meeting_version_contents",
    ]);
    expect(await eraseFromMeetings(server.db, OPERATOR, email, 100)).toEqual([meetingId]);
    expect(await findAddress(server.db, email)).toEqual([]);
    expect(await versionsOf(meeting)).toMatchObject({ version: 3, versions: [{ version: 3 }] });
    expect((await edit(meeting, { baseVersion: 3, title: "Next" })).version).toBe(4);
  });
});
