import type { Change, ChangePage } from "@minutes/contract";
import { schema } from "@minutes/db";
import {
  createPersonalWebhook,
  createWebhookScene,
  openTestApi,
  type Receiver,
  readPayload,
  type TestApi,
  type WebhookScene,
  waitForFeed,
} from "@minutes/testing";
import { eq, sql } from "drizzle-orm";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { OPERATOR } from "../access/actor.js";
import { tagMeeting } from "../meetings/tags/index.js";
import { setPlan } from "../workspaces/index.js";
import { CHANGED, createRecorder, DIFFERENT, findWorkspace, refusal } from "./testing/recorder.js";

const { creditCharges, meetings, summaries, tasks } = schema;

let scene: WebhookScene;
let receiver: Receiver;
let api: TestApi;
let summarised = false;
beforeAll(async () => {
  scene = await createWebhookScene();
  receiver = await scene.receiver();
  await scene.worker();
  api = await openTestApi({
    database: scene.database,
    services: {
      summaries: {
        get enabled() {
          return summarised;
        },
        wake: () => {},
      },
    },
  });
});
afterEach(() => {
  summarised = false;
  expect(scene.faults.splice(0)).toEqual([]);
});
afterAll(async () => {
  await api.close();
  await scene.close();
});

describe("replace", () => {
  test("200: replaces the content; ID, shares and tags stay unchanged, and a repeat is a no-op", async () => {
    const { anna, boris, send, call, get } = await createRecorder(api);
    const { meetingId } = await send();
    await api.given.shared({ meetingId, owner: anna, taskIds: [] }, boris);
    await tagMeeting(api.db, OPERATOR, meetingId, "By hand");
    const before = await get(meetingId);
    expect(await call({ ...CHANGED, replace: false })).toMatchObject(DIFFERENT);

    const tags = [{ name: "Weekly" }, { name: "Sent later" }];
    const answer = await send({ ...CHANGED, tags });
    expect(answer).toEqual({ ...answer, meetingId, state: "completed", notStored: ["tags"] });
    const after = await get(meetingId, boris);
    expect(after).toMatchObject({
      id: meetingId,
      title: "Weekly, corrected",
      startTime: "2025-03-14T09:05:00.000Z",
      endTime: "2025-03-14T09:25:00.000Z",
      summary: { markdown: "Gearboxes are **late**.", short: "Gearboxes are late." },
      participants: [
        { id: expect.stringMatching(/^per_/), name: "Anna", email: null },
        { id: expect.stringMatching(/^per_/), name: "Boris" },
      ],
      tags: before.tags,
      event: { id: before.event.id, attendees: [{ name: "Boris" }] },
    });
    expect(after.transcript).toBe(
      "**Anna**: Nobody mentioned wind mills or gearboxes, only the xylophone.\n\n**Boris**: Certainly so.",
    );
    expect(after.tags.map(({ name }) => name)).toEqual(["By hand", "Weekly"]);

    // Lists are sorted by the start stored with shares and tags.
    const { meetings: listed } = await api.data(boris.key, "me/meetings.list", {});
    expect(listed).toMatchObject([{ id: meetingId, startTime: "2025-03-14T09:05:00.000Z" }]);
    const found = async (query: string) =>
      (await api.data(anna.key, "me/meetings.search", { query, startDate: "2025-01-01" })).results.length;
    expect([await found("xylophone"), await found("budget"), await found("water")]).toEqual([1, 0, 0]);

    expect(await send({ ...CHANGED, tags })).toEqual({ ...answer, notStored: undefined });
    expect(await send({ ...CHANGED, tags, replace: false })).toMatchObject({ meetingId });
    expect(await call()).toMatchObject(DIFFERENT);
  });

  test("200: tasks with the same text keep ID and state; others are removed and added", async () => {
    const { anna, send, taskList } = await createRecorder(api);
    const { meetingId } = await send({ tasks: [{ text: "Same" }, { text: "Same" }, { text: "Old" }] });
    const before = await taskList();
    const [first] = await api.db
      .select({ id: tasks.id })
      .from(tasks)
      .where(sql`meeting_id = ${meetingId} and position = 0`);
    await api.data(anna.key, "me/tasks.update", { taskId: first?.id ?? "", completed: true });
    const { notStored } = await send({
      replace: true,
      tasks: [{ text: "New" }, { text: "Same" }, { text: "Same", completed: true }],
    });
    expect(notStored).toEqual(["tasks.completed"]);
    const after = await taskList();
    expect(after.map(({ text, completed }) => `${text} ${completed}`).sort()).toEqual([
      "New false",
      "Same false",
      "Same true",
    ]);
    expect(after.find(({ completed }) => completed)?.id).toBe(first?.id);
    const same = (list: typeof after) =>
      list
        .filter(({ text }) => text === "Same")
        .map(({ id }) => id)
        .sort();
    expect(same(after)).toEqual(same(before));
  });

  test("200: due dates are stored, sent ones replace, and one that somebody set stays if none is sent", async () => {
    const { anna, send } = await createRecorder(api);
    const list = async (meetingId: string) => {
      const { tasks } = await api.askFor<{ tasks: { id: string; text: string; due: string | null }[] }>(
        anna,
        "tasks.list",
        { meetingId },
      );
      return tasks;
    };
    const { meetingId } = await send({ tasks: [{ text: "Dated", due: "2025-04-01" }, { text: "By hand" }] });
    const before = await list(meetingId);
    expect(before.map(({ text, due }) => [text, due])).toEqual([
      ["Dated", "2025-04-01"],
      ["By hand", null],
    ]);
    const due = "2025-04-02";
    const edit = { meetingId, taskId: before[1]?.id, baseVersion: 1, due };
    await api.askFor(anna, "meetings.updateTask", edit);
    await send({ replace: true, tasks: [{ text: "Dated", due }, { text: "By hand" }] });
    expect(await list(meetingId)).toEqual(before.map((task) => ({ ...task, due })));
    const wrong = { replace: true, tasks: [{ text: "Dated", due: "2025-02-30" }] };
    const { call } = await createRecorder(api);
    expect(await call(wrong)).toEqual({
      status: 400,
      body: { error: "tasks[0].due must be a day such as 2026-03-14" },
    });
  });

  test("200: an unknown externalId is imported, and a recorded meeting is replaced", async () => {
    const { key, meeting, send, get } = await createRecorder(api);
    const { externalId, ownerEmail, title, startTime, endTime, transcript } = meeting;
    const fresh = await send({ ...CHANGED, externalId: `${externalId}-new` });
    expect((await get(fresh.meetingId)).title).toBe("Weekly, corrected");
    const start = { externalId, ownerEmail, title, startTime };
    await api.call(key, "ingest/recordings.start", start);
    expect(await api.call(key, "ingest/meetings.import", { ...meeting, replace: true })).toMatchObject(
      DIFFERENT,
    );
    await api.call(key, "ingest/recordings.complete", { externalId, endTime, transcript });
    const replaced = await send(CHANGED);
    expect((await get(replaced.meetingId)).title).toBe("Weekly, corrected");
    expect(await send(CHANGED)).toMatchObject({ meetingId: replaced.meetingId });
  });

  test("404 outside the recorder's workspace, 409 for another owner's meeting", async () => {
    const recorder = await createRecorder(api);
    const { meetingId } = await recorder.send();
    const other = { ...CHANGED, ownerEmail: recorder.boris.email };
    expect(await recorder.call(other)).toMatchObject(
      refusal("ownerEmail must be the owner of the meeting that is replaced."),
    );
    await api.given.leaves(recorder.anna);
    await setPlan(api.db, OPERATOR, await findWorkspace(api, recorder.anna), "team");
    expect((await recorder.call(CHANGED)).status).toBe(404);
    expect((await recorder.get(meetingId)).title).toBe("Weekly");
    // Another workspace's recorder has its own namespace of external IDs.
    const stranger = await createRecorder(api);
    await stranger.send({ ...CHANGED, externalId: recorder.meeting.externalId });
    expect((await recorder.get(meetingId)).title).toBe("Weekly");
  });

  test("nothing is charged, and a lock remains until an upgrade", async () => {
    const { number, company, anna, send, get } = await createRecorder(api, "free");
    const isLocked = async (meetingId: string) => {
      const [row] = await api.db.select().from(summaries).where(eq(summaries.meetingId, meetingId));
      return row?.locked;
    };
    const charged = () => api.db.$count(creditCharges, eq(creditCharges.userId, anna.userId));
    const long = await send({ endTime: "2025-03-14T10:00:00.000Z" });
    expect([await isLocked(long.meetingId), await charged()]).toEqual([true, 1]);
    await send(CHANGED);
    expect([await isLocked(long.meetingId), await charged()]).toEqual([true, 1]);
    // A meeting over the allowance that had no summary does not get an unlocked one.
    for (let nth = 2; nth <= 10; nth++) await send({ externalId: `${nth} of ${number}` });
    const over = { externalId: `over ${number}`, summary: undefined };
    const { meetingId } = await send(over);
    await send({ ...CHANGED, externalId: over.externalId });
    expect([await isLocked(meetingId), await charged()]).toEqual([true, 10]);
    await setPlan(api.db, OPERATOR, company.workspaceId, "team");
    expect((await get(long.meetingId)).summary.markdown).toBe("Gearboxes are **late**.");
    expect((await get(meetingId)).summary.markdown).toBe("Gearboxes are **late**.");
  });

  test("meeting.updated is delivered once, and meeting.completed not again", async () => {
    const { number, anna, send } = await createRecorder(api);
    const name = `replaced-${number}`;
    await createPersonalWebhook(scene.db, scene.settings, anna.userId, {
      name,
      url: `${receiver.url}/${name}`,
      method: "signature",
      events: ["meeting.completed", "meeting.updated"],
    });
    const bodies = () =>
      receiver.received
        .filter(({ path }) => path === `/hook/${name}`)
        .map(({ body }) => JSON.parse(body) as { metadata: { event: string }; data: { title: string } });
    await send();
    await send(CHANGED);
    await expect.poll(() => bodies().length).toBe(2);
    await expect.poll(() => scene.db.$count(schema.webhookEvents, sql`data is null`)).toBe(0);
    const events = bodies().map(({ metadata, data }) => `${metadata.event}: ${data.title}`);
    expect(events.sort()).toEqual(["meeting.completed: Weekly", "meeting.updated: Weekly, corrected"]);
  });

  test("the feed sends the meeting and its tasks, and removes deleted tasks", async () => {
    const { anna, company, send } = await createRecorder(api);
    const { meetingId } = await send();
    const read = async (key: string, side: string, cursor?: string) => {
      await waitForFeed(api.db);
      const page = readPayload<ChangePage>(
        await api.call(key, `sync/${side}/changes.list`, cursor === undefined ? {} : { cursor }),
      );
      const show = (change: Change) =>
        change.op === "removed"
          ? `- ${change.type} ${change.reason}`
          : `+ ${change.type} ${"text" in change.data ? change.data.text : change.id}`;
      return { cursor: page.nextCursor, changes: page.changes.map(show).sort() };
    };
    for (const [key, side] of [
      [anna.key, "me"],
      [company.key, "workspace"],
    ] as const) {
      const title = `Replaced for ${side}`;
      const first = await read(key, side);
      expect(first.changes.filter((change) => change.startsWith("-"))).toEqual([]);
      await send({ ...CHANGED, title, tasks: [{ text: "Order gearboxes" }, { text: side }] });
      const next = await read(key, side, first.cursor);
      expect(next.changes.filter((change) => !change.startsWith("-"))).toEqual(
        [`+ meeting ${meetingId}`, "+ task Order gearboxes", `+ task ${side}`].sort(),
      );
      expect(next.changes.filter((change) => change.startsWith("-"))).toEqual(
        Array.from({ length: side === "me" ? 3 : 1 }, () => "- task deleted"),
      );
      // Sent once, even if the meeting changes again.
      await tagMeeting(api.db, OPERATOR, meetingId, `Tag for ${side}`);
      const later = await read(key, side, next.cursor);
      expect(later.changes).toContain(`+ meeting ${meetingId}`);
      expect(later.changes.filter((change) => change.startsWith("-"))).toEqual([]);
    }
  });

  test("serialized with task updates, tags, shares and deletions: no acknowledged change is lost", async () => {
    const { anna, boris, send, call } = await createRecorder(api);
    const texts = Array.from({ length: 12 }, (_, at) => ({ text: `Task ${at}` }));
    const { meetingId } = await send({ tasks: texts });
    const { tasks: open } = await api.data(anna.key, "me/tasks.list", {});
    const replacements = Array.from({ length: 6 }, (_, at) => ({
      ...CHANGED,
      title: `Version ${at}`,
      startTime: `2025-03-14T09:0${at}:00.000Z`,
      tasks: at % 2 ? texts : [...texts].reverse(),
    }));
    const answers = await Promise.all([
      ...replacements.map((facts) => call(facts)),
      ...open.map(({ id }) => api.call(anna.key, "me/tasks.update", { taskId: id, completed: true })),
      ...["A", "B", "C"].map((name) => tagMeeting(api.db, OPERATOR, meetingId, name)),
      api.given.shared({ meetingId, owner: anna, taskIds: [] }, boris),
    ]);
    for (const answer of answers) if (answer) expect(answer).toMatchObject({ status: 200 });
    const after = await api.data(boris.key, "me/meetings.get", { meetingId });
    expect(after.tasks.filter(({ completed }) => completed)).toHaveLength(12);
    expect(after.tags.map(({ name }) => name)).toEqual(["A", "B", "C", "Weekly"]);
    expect(after.title).toMatch(/^Version \d$/);

    const [deleted, ...rest] = await Promise.all([
      api.call(anna.key, "me/meetings.delete", { meetingId }),
      ...replacements.map((facts) => call({ ...facts, generatedTitle: "Late" })),
    ]);
    expect(deleted?.status).toBe(200);
    for (const { status, body } of rest) expect([200, 409], JSON.stringify(body)).toContain(status);
    expect(await api.db.$count(meetings, eq(meetings.id, meetingId))).toBe(0);
  });

  test("a recording waiting for its summary is replaced, and a worker's summary of the old content is dropped", async () => {
    summarised = true;
    const { send, get } = await createRecorder(api);
    const waiting = await send({ summary: undefined });
    expect(waiting.state).toBe("processing");
    const { startRecordingWorker } = await import("./processing.js");
    const asked: string[] = [];
    const worker = startRecordingWorker({
      recordingDays: 30,
      db: api.db,
      interval: 50,
      summariser: async ({ title }) => {
        asked.push(title);
        if (asked.length === 1) await send({ ...CHANGED, summary: undefined });
        return { summary: { markdown: `Of ${title}.` } };
      },
    });
    // Otherwise the recording could be replaced before the worker takes it.
    await expect.poll(() => asked.length).toBeGreaterThan(0);
    await expect.poll(async () => (await send({ ...CHANGED, summary: undefined })).state).toBe("completed");
    await worker.stop();
    expect(asked).toEqual(["Weekly", "Weekly, corrected"]);
    expect((await get(waiting.meetingId)).summary.markdown).toBe("Of Weekly, corrected.");
    // Generated content stays if nothing is sent instead.
    await send({ ...CHANGED, title: "Again", summary: undefined, tasks: [] });
    expect(await get(waiting.meetingId)).toMatchObject({
      title: "Again",
      summary: { markdown: "Of Weekly, corrected." },
      tasks: CHANGED.tasks.map(({ text }) => ({ content: text })),
    });
  });
});
