import { LIMITS } from "@minutes/contract";
import { schema } from "@minutes/db";
import { openTestApi, type TestApi } from "@minutes/testing";
import { and, eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { purgeVersions } from "../versions/index.js";
import { createCorrectionCalls } from "./testing/calls.js";

const { meetingVersionContents, meetingVersions, publicLinks } = schema;

let api: TestApi;
beforeAll(async () => {
  api = await openTestApi();
});
afterAll(() => api.close());

const { ask, askFor, createMeeting, edit, find, listVersions, read } = createCorrectionCalls(() => api);

describe("200: restoring a version", () => {
  test("brings back everything but the state of tasks, as a new version that can be undone", async () => {
    const { anna, meeting } = await createMeeting();
    const { meetingId, taskIds } = meeting;
    const original = await read(meeting);
    await edit(meeting, { baseVersion: 1, title: "Two", summary: null, startTime: "2025-03-14T09:00:00Z" });
    await askFor(anna, "meetings.updateTurn", { meetingId, turn: 0, baseVersion: 2, spokenText: "Changed." });
    await askFor(anna, "tasks.delete", { taskId: taskIds[0] ?? "", baseVersion: 3 });
    await askFor(anna, "tasks.create", { meetingId, baseVersion: 4, text: "Later" });
    await askFor(anna, "meetings.updateTask", {
      meetingId,
      taskId: taskIds[2] ?? "",
      baseVersion: 5,
      text: "Reworded",
    });
    await api.data(anna.key, "me/tasks.update", { taskId: taskIds[2] ?? "", completed: true });
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
    const { versions } = await listVersions(meeting);
    expect(versions.map(({ action }) => action)).toEqual([
      ...["restore", "restore", "edit", "edit", "edit", "edit", "edit", null],
    ]);
  });

  test("undoes a recorder's replacement, also after an edit of the new transcript", async () => {
    const { company, anna, meeting } = await createMeeting();
    const { meetingId } = meeting;
    await askFor(anna, "meetings.updateTurn", {
      meetingId,
      turn: 0,
      baseVersion: 1,
      spokenText: "Corrected.",
    });
    const before = await read(meeting);
    const [recording] = await api.db
      .select()
      .from(schema.recordings)
      .where(eq(schema.recordings.id, meetingId));
    const recorder = await api.given.ingestKey(company);
    const answer = await api.call(recorder, "ingest/meetings.import", {
      ...{ externalId: recording?.externalId, ownerEmail: anna.email, title: "Replaced", replace: true },
      ...{ startTime: "2025-03-14T09:30:00Z", tasks: [{ text: "Other" }] },
      transcript: [{ speakerId: "x", speakerName: "Xaver", text: "Something else." }],
    });
    expect(answer.status).toBe(200);
    const [version] = (await listVersions(meeting)).versions;
    expect(version).toMatchObject({ version: 3, action: "replace", actor: expect.stringMatching(/^key_/) });
    await askFor(anna, "meetings.updateTurn", { meetingId, turn: 0, baseVersion: 3, spokenText: "Else." });
    await askFor(anna, "meetings.restoreVersion", { meetingId, version: 2, baseVersion: 4 });
    expect(await read(meeting)).toEqual(before);
    expect(await find(anna, "corrected")).toEqual([meetingId]);
    await askFor(anna, "meetings.restoreVersion", { meetingId, version: 1, baseVersion: 5 });
    expect((await read(meeting)).transcript).toContain("Welcome to the review.");
  });

  test("404: a version that isn't kept, or doesn't exist", async () => {
    const { anna, company, meeting } = await createMeeting();
    const { meetingId } = meeting;
    const last = LIMITS.versionsKept + 1;
    const author = { actor: anna.userId, action: "edit" as const, fields: ["title"] };
    const earlier = Array.from({ length: last - 1 }, (_, at) => ({ meetingId, version: at + 2 }));
    await api.db.insert(meetingVersions).values(earlier.map((row) => ({ ...row, ...author })));
    await api.db
      .insert(meetingVersionContents)
      .values(earlier.map((row) => ({ ...row, field: "title", content: '"Former"' })));
    const status = async (version: number) =>
      (await ask(anna, "meetings.getVersion", { meetingId, version })).status;
    expect(await status(1)).toBe(200);
    await api.db
      .update(meetingVersions)
      .set({ fields: ["participants"] })
      .where(and(eq(meetingVersions.meetingId, meetingId), eq(meetingVersions.version, 3)));
    await api.db.insert(publicLinks).values({
      ...{ id: "lnk_1", hash: Buffer.from("link"), meetingId, workspaceId: company.workspaceId },
      ...{ scope: "summary", masksNames: true, expiresAt: "2100-01-01T00:00:00.000Z" },
    });
    const countLinks = () => api.db.$count(publicLinks, eq(publicLinks.meetingId, meetingId));
    // The edit itself drops the oldest version.
    await edit(meeting, { baseVersion: last, title: "Another" });
    expect(await listVersions(meeting)).toMatchObject({ version: last + 1, versions: { length: last } });
    expect([await status(1), await status(2), await status(last + 2)]).toEqual([404, 200, 404]);
    expect(await countLinks()).toBe(1);
    // The next one drops that of a speaker's former name, which a link that masks names no longer knows.
    await edit(meeting, { baseVersion: last + 1, title: "A third" });
    expect([await status(2), await countLinks()]).toEqual([404, 0]);
    await api.db.update(meetingVersions).set({ at: "2020-01-01T00:00:00.000Z" });
    await purgeVersions(api.db, 400);
    expect((await listVersions(meeting)).versions.map(({ version }) => version)).toEqual([last + 2]);
    expect((await edit(meeting, { baseVersion: last + 2, title: "Next" })).version).toBe(last + 3);
  });
});

describe("versions and tasks.update of /v1", () => {
  test("a new text creates a version, completing doesn't", async () => {
    const { anna, company, meeting } = await createMeeting();
    const [taskId] = meeting.taskIds;
    await api.data(anna.key, "me/tasks.update", { taskId, completed: true });
    expect((await listVersions(meeting)).version).toBe(1);
    await api.data(anna.key, "me/tasks.update", { taskId, text: "Reworded" });
    await api.data(company.key, "workspace/tasks.update", { taskId, text: "Reworded again" });
    const { versions } = await listVersions(meeting);
    expect(versions.map(({ actor }) => actor)).toEqual([company.keyId, anna.userId, null]);
  });
});
