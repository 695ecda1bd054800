import { schema } from "@minutes/db";
import { openTestApi, readPayload, type TestApi } from "@minutes/testing";
import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { OPERATOR } from "../access/actor.js";
import { exportMeeting } from "../export/index.js";
import { setPlan } from "../workspaces/index.js";
import { createCorrectionCalls } from "./testing/calls.js";

const { summaries } = schema;

let api: TestApi;
beforeAll(async () => {
  api = await openTestApi();
});
afterAll(() => api.close());

const { ask, askFor, countContents, createMeeting, edit, find, listVersions, read } = createCorrectionCalls(
  () => api,
);

describe("409: a stale edit", () => {
  test("names the changed parts, and changes nothing", async () => {
    const { anna, meeting } = await createMeeting();
    await edit(meeting, { baseVersion: 1, title: "One" });
    await askFor(anna, "tasks.delete", { taskId: meeting.taskIds[0] ?? "", baseVersion: 2 });
    const input = { meetingId: meeting.meetingId, title: "Two" };
    expect(await ask(anna, "meetings.update", { ...input, baseVersion: 1 })).toEqual({
      status: 409,
      body: {
        error:
          "The meeting has changed since version 1 and is at version 3 (title, tasks). Read it again, then repeat the edit.",
      },
    });
    expect(await ask(anna, "meetings.update", { ...input, baseVersion: 9 })).toMatchObject({
      status: 409,
      body: { error: "The meeting has no version 9: it is at version 3." },
    });
    expect((await read(meeting)).title).toBe("One");
  });

  test("of twenty concurrent edits of one version, one wins", async () => {
    const { anna, meeting } = await createMeeting();
    const { meetingId } = meeting;
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) =>
        ask(anna, "meetings.update", { meetingId, baseVersion: 1, title: `Title ${at}` }),
      ),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array(19).fill(409)]);
    const winner = answers.findIndex(({ status }) => status === 200);
    expect((await read(meeting)).title).toBe(`Title ${winner}`);
    expect((await listVersions(meeting)).version).toBe(2);
  });
});

test("all or nothing: an edit that fails halfway leaves no trace, in content, search or versions", async () => {
  const { anna, meeting } = await createMeeting();
  await api.db.execute(
    sql`alter table search_chunks add constraint never check (text not like '%forbidden%')`,
  );
  const input = { meetingId: meeting.meetingId, baseVersion: 1 };
  const summary = { markdown: "forbidden words" };
  await expect(ask(anna, "meetings.update", { ...input, title: "Halfway", summary })).rejects.toThrow(
    "Failed",
  );
  await api.db.execute(sql`alter table search_chunks drop constraint never`);
  expect(await read(meeting)).toMatchObject({ title: "Quarterly review", tasks: { length: 3 } });
  expect(await find(anna, "turbines")).toEqual([meeting.meetingId]);
  expect([(await listVersions(meeting)).version, await countContents(meeting)]).toEqual([1, 0]);
});

describe("400 and 409: refused edits", () => {
  test("an end before the start leaves the meeting unchanged", async () => {
    const { anna, meeting } = await createMeeting();
    const input = {
      meetingId: meeting.meetingId,
      baseVersion: 1,
      endTime: "2020-01-01T00:00:00Z",
      title: "X",
    };
    expect(await ask(anna, "meetings.update", input)).toEqual({
      status: 400,
      body: { error: "endTime must not be before startTime." },
    });
    expect((await read(meeting)).title).toBe("Quarterly review");
  });

  test.each([
    [
      "meetings.update",
      { meetingId: "m", baseVersion: 1 },
      "Nothing to change: give at least one field to edit.",
    ],
    ["meetings.update", { meetingId: "m", title: "x" }, "baseVersion must be given"],
    [
      "meetings.update",
      { meetingId: "m", baseVersion: 1, title: "" },
      "title must be a text of 1 to 1,000 characters",
    ],
    [
      "meetings.updateTurn",
      { meetingId: "m", turn: -1, baseVersion: 1, spokenText: "" },
      "turn must not be below 0",
    ],
    [
      "meetings.updateTask",
      { meetingId: "m", taskId: "t", baseVersion: 1, due: "2026-02-30" },
      "due must be a day such as 2026-03-14",
    ],
  ])("400: %s with %j", async (procedure, input, error) => {
    const { anna } = await createMeeting();
    expect(await ask(anna, procedure, input)).toEqual({ status: 400, body: { error } });
  });

  test("a locked summary can't be edited, and is hidden in versions", async () => {
    const { anna, meeting } = await createMeeting();
    const { meetingId } = meeting;
    await edit(meeting, { baseVersion: 1, summary: { markdown: "Second." } });
    await api.db.update(summaries).set({ locked: true }).where(eq(summaries.meetingId, meetingId));
    expect(
      await ask(anna, "meetings.update", { meetingId, baseVersion: 2, summary: { markdown: "Third." } }),
    ).toEqual({
      status: 409,
      body: { error: "The summary is locked by the plan's limits, so it can't be edited." },
    });
    for (const version of [1, 2])
      expect(await askFor(anna, "meetings.getVersion", { meetingId, version })).toMatchObject({
        summary: null,
      });
    await askFor(anna, "meetings.restoreVersion", { meetingId, version: 1, baseVersion: 2 });
    const [stored] = await api.db.select().from(summaries).where(eq(summaries.meetingId, meetingId));
    expect(stored).toMatchObject({ locked: true, markdown: "Second." });
  });
});

test("a locked summary that its recorder removed stays hidden in versions and exports until the plan unlocks it", async () => {
  const { company, anna, meeting } = await createMeeting();
  const key = await api.given.ingestKey(company);
  const sent = {
    ...{
      externalId: "locked",
      ownerEmail: anna.email,
      title: "Locked",
      startTime: "2025-03-14T09:00:00.000Z",
    },
    // Longer than any plan allows.
    endTime: "2025-03-15T09:00:00.000Z",
  };
  const importOver = async (facts: object) => {
    const body = { ...sent, ...facts, replace: true };
    return readPayload<{ meetingId: string }>(await api.call(key, "ingest/meetings.import", body)).meetingId;
  };
  const meetingId = await importOver({ summary: { markdown: "Secret words." } });
  await importOver({});
  const place = { meetingId, owner: anna, taskIds: [] };
  await edit(place, { baseVersion: 2, summary: { markdown: "Written by hand." } });
  const readVersion = (version: number) =>
    askFor<{ summary: object | null }>(anna, "meetings.getVersion", { meetingId, version });
  const exported = async () => JSON.stringify((await exportMeeting(api.db, meetingId)).record.versions);
  expect((await readVersion(1)).summary).toBeNull();
  expect(await exported()).not.toContain("Secret");
  // Restored, it is the meeting's summary, as locked as before.
  await askFor(anna, "meetings.restoreVersion", { meetingId, version: 1, baseVersion: 3 });
  expect((await read(place)).summary).toMatchObject({ markdown: "" });
  expect(JSON.stringify(await readVersion(3))).not.toContain("Written");
  await importOver({ title: "Again" });
  expect((await readVersion(1)).summary).toBeNull();
  expect((await readVersion(3)).summary).toMatchObject({ markdown: "Written by hand." });

  await edit(place, { baseVersion: 5, endTime: "2025-03-14T10:00:00.000Z" });
  expect((await readVersion(1)).summary).toBeNull();
  await setPlan(api.db, OPERATOR, company.workspaceId, "enterprise");
  expect((await readVersion(1)).summary).toMatchObject({ markdown: "Secret words." });
  expect(await exported()).toContain("Secret words.");
  expect(meeting.meetingId).not.toBe(meetingId);
});

describe("403 and 404: only editors can read versions", () => {
  test("readers of a share, admins with a personal key, other workspaces, and owners who left", async () => {
    const { company, anna, meeting } = await createMeeting();
    const { meetingId, taskIds } = meeting;
    const boris = await api.given.member(company);
    await api.given.shared(meeting, boris);
    await edit(meeting, { baseVersion: 1, title: "Two" });
    const calls = [
      ["meetings.listVersions", { meetingId }],
      ["meetings.getVersion", { meetingId, version: 1 }],
      ["meetings.update", { meetingId, baseVersion: 2, title: "Mine" }],
      ["meetings.updateTurn", { meetingId, turn: 0, baseVersion: 2, spokenText: "Mine" }],
      ["meetings.restoreVersion", { meetingId, version: 1, baseVersion: 2 }],
      ["tasks.create", { meetingId, baseVersion: 2, text: "Mine" }],
    ] as const;
    for (const who of [boris, company.admin, await api.given.person()])
      for (const [procedure, input] of calls)
        expect(await ask(who, procedure, input)).toEqual({
          status: 403,
          body: { error: "Access denied. You can only edit your own meetings." },
        });
    for (const who of [boris, company.admin])
      for (const procedure of ["meetings.updateTask", "tasks.delete"]) {
        const edited = procedure === "meetings.updateTask" ? { meetingId, text: "Mine" } : {};
        const input = { taskId: taskIds[0] ?? "", baseVersion: 2, ...edited };
        expect((await ask(who, procedure, input)).status).toBe(404);
      }
    const read = () => api.call(company.key, "rest/workspace/meetings.listVersions", { meetingId });
    expect((await read()).status).toBe(200);
    await api.given.leaves(anna);
    expect((await read()).status).toBe(403);
  });
});
