import { schema } from "@minutes/db";
import { startTestServer, type TestServer } from "@minutes/server/testing";
import { asUser, asWorkspace, type Company, createSettingsCalls, type Person } from "@minutes/testing";
import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expireRecordings } from "./expiry.js";
import { startRecordingWorker } from "./index.js";
import { listOwnRecordings, listWorkspaceRecordings } from "./unfinished.js";

let server: TestServer;
let company: Company;
let anna: Person;
let ben: Person;
let key: string;
beforeAll(async () => {
  server = await startTestServer({ summaries: { enabled: true, wake: () => {} } });
  company = await server.given.company();
  anna = await server.given.member(company);
  ben = await server.given.member(company);
  key = await server.given.ingestKey(company);
});
afterAll(() => server.close());

let count = 0;
const ingest = async (procedure: string, input: object) => {
  const { status, body } = await server.call(key, `ingest/${procedure}`, input);
  return { status, ...(body as { error?: string }) };
};
async function start(owner: Person) {
  const externalId = `unfinished-${++count}`;
  const input = {
    externalId,
    ownerEmail: owner.email,
    title: "Secret plan",
    startTime: "2026-01-05T09:00:00Z",
  };
  const { meetingId } = (await server.data(
    key,
    "ingest/recordings.start" as never,
    input as never,
  )) as never as {
    meetingId: string;
  };
  return { externalId, meetingId, input };
}
const words = "We spoke of turbines and of the budget, and of lunch.";
const transcript = [{ speakerId: "s", speakerName: "Anna", text: words }];
const complete = (externalId: string, summary = true) =>
  ingest("recordings.complete", {
    externalId,
    endTime: "2026-01-05T10:00:00Z",
    transcript,
    ...(summary ? { summary: { markdown: "Done." } } : {}),
  });
/** Ages a recording as if it had been started `days` ago. */
async function age(meetingId: string, days: number) {
  const createdAt = sql`now() - make_interval(days => ${days}::int)`;
  await server.db.update(schema.recordings).set({ createdAt }).where(eq(schema.recordings.id, meetingId));
  await server.db
    .update(schema.recordingDrafts)
    .set({ createdAt })
    .where(eq(schema.recordingDrafts.recordingId, meetingId));
}
const ask = createSettingsCalls(() => server);
const deleted = {
  status: 409,
  error: "A meeting with this externalId was deleted and is not imported again.",
};
const leftOf = (meetingId: string) =>
  server.db
    .select({ state: schema.recordings.state, draft: schema.recordingDrafts.content })
    .from(schema.recordings)
    .leftJoin(schema.recordingDrafts, eq(schema.recordingDrafts.recordingId, schema.recordings.id))
    .where(eq(schema.recordings.id, meetingId));

describe("unfinished recordings", () => {
  test("200: are listed for their owner and the workspace's admins, with their failure", async () => {
    const owner = await server.given.member(company);
    const { meetingId, externalId } = await start(owner);
    await ingest("recordings.fail", { externalId, reason: "no audio" });
    const listed = {
      id: meetingId,
      externalId,
      state: "failed",
      title: "Secret plan",
      startTime: "2026-01-05T09:00:00.000Z",
      ownerEmail: owner.email,
      failure: "no audio",
      createdAt: expect.any(String),
    };
    expect(await ask(owner, "recordings.list")).toEqual([200, { recordings: [listed] }]);
    expect(await ask(ben, "recordings.list")).toEqual([200, { recordings: [] }]);
    const ofAll = { recordings: expect.arrayContaining([listed]) };
    expect(await ask(company.admin, "recordings.listWorkspace")).toEqual([200, ofAll]);
    expect((await ask(ben, "recordings.listWorkspace"))[0]).toBe(403);
  });

  test("200: are deleted with title and failure by their owner or an admin, and are not restored", async () => {
    for (const who of [anna, company.admin]) {
      const { meetingId, externalId, input } = await start(anna);
      expect(await ask(who, "recordings.delete", { recordingId: meetingId })).toEqual([
        200,
        { success: true },
      ]);
      expect(await leftOf(meetingId)).toEqual([{ state: "deleted", draft: null }]);
      expect(await ingest("recordings.start", input)).toEqual(deleted);
      expect(await complete(externalId)).toEqual(deleted);
    }
  });

  test("404: another member, an admin of another workspace, a completed meeting, an unknown id", async () => {
    const { meetingId, externalId } = await start(anna);
    const missing = [404, "No such recording."];
    const elsewhere = await server.given.company();
    for (const who of [ben, elsewhere.admin]) {
      expect(await ask(who, "recordings.delete", { recordingId: meetingId })).toEqual(missing);
    }
    expect((await complete(externalId)).status).toBe(200);
    expect(await ask(anna, "recordings.delete", { recordingId: meetingId })).toEqual(missing);
    expect(await ask(anna, "recordings.delete", { recordingId: "mtg_none" })).toEqual(missing);
  });

  test("a workspace does not see those of a member who left; the operator still does", async () => {
    const leaver = await server.given.member(company);
    const { meetingId } = await start(leaver);
    await server.given.leaves(leaver);
    const seen = await listWorkspaceRecordings(server.db, asWorkspace(company.workspaceId));
    expect(seen.recordings.map(({ id }) => id)).not.toContain(meetingId);
    const own = await listOwnRecordings(server.db, asUser(leaver.userId));
    expect(own.recordings.map(({ id }) => id)).toEqual([meetingId]);
  });
});

describe("expiry", () => {
  test("409: a recording can't be completed after 31 days; 200: one can after 29 days", async () => {
    const [late, early] = [await start(anna), await start(anna)];
    await age(late.meetingId, 31);
    await age(early.meetingId, 29);
    expect(await complete(late.externalId)).toEqual({
      status: 409,
      error: "This recording has expired: it was not completed in time.",
    });
    expect((await complete(early.externalId)).status).toBe(200);
  });

  test("started and failed recordings are erased after 30 days, and nothing else is", async () => {
    const [started, failed, young, completed] = [
      await start(anna),
      await start(anna),
      await start(anna),
      await start(anna),
    ];
    await ingest("recordings.fail", { externalId: failed.externalId, reason: "no audio" });
    await complete(completed.externalId);
    for (const { meetingId } of [started, failed, completed]) await age(meetingId, 31);
    expect(await expireRecordings(server.db, 30)).toBeGreaterThanOrEqual(2);
    const gone = [{ state: "deleted", draft: null }];
    expect(await leftOf(started.meetingId)).toEqual(gone);
    expect(await leftOf(failed.meetingId)).toEqual(gone);
    expect(await leftOf(completed.meetingId)).toEqual([{ state: "completed", draft: null }]);
    expect(await leftOf(young.meetingId)).toMatchObject([{ state: "recording" }]);
    expect(await ingest("recordings.start", started.input)).toEqual(deleted);
  });

  test("a recording that waited for its summary beyond its expiry completes only in the workspace it was started in", async () => {
    const mover = await server.given.member(company);
    const [moved, stayed] = [await start(mover), await start(anna)];
    for (const { externalId, meetingId } of [moved, stayed]) {
      expect((await complete(externalId, false)).status).toBe(200);
      await age(meetingId, 31);
    }
    await server.given.leaves(mover);
    const worker = startRecordingWorker({ recordingDays: 30, db: server.db, summariser: null, interval: 50 });
    await expect.poll(async () => (await leftOf(stayed.meetingId))[0]?.state).toBe("completed");
    await expect
      .poll(async () => (await leftOf(moved.meetingId))[0])
      .toEqual({ state: "deleted", draft: null });
    await worker.stop();
  });
});
