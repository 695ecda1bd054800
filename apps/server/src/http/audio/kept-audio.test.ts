import { readdir, readFile, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { LIMITS } from "@minutes/contract";
import {
  createKeyring,
  eraseFromMeetings,
  eraseUser,
  expireAudio,
  findSought,
  holdMeeting,
  leaveWorkspace,
  OPERATOR,
  rotateSecrets,
  runRetention,
  setRetentionRule,
} from "@minutes/core";
import { compareAudio, openKept, removeUnreadable, setKeptAudio } from "@minutes/core/kept-audio";
import { schema } from "@minutes/db";
import { asWorkspace } from "@minutes/testing";
import { eq, sql } from "drizzle-orm";
import { describe, expect, test, vi } from "vitest";
import { createUploader, keepTestAudio, startAudioServer } from "../../testing/audio-uploads.js";
import { createWav } from "../../testing/index.js";

const { keptAudio, meetings, transcriptions } = schema;

/** A recording of two records and a bit. */
const WAV = createWav(40);
const NEVER = new AbortController().signal;

/** Starts a server with a workspace that keeps audio for 30 days. */
async function startKeeping(options: Parameters<typeof startAudioServer>[0] = {}) {
  const started = await startAudioServer(options);
  const { server, keptAudio: store } = started;
  const { db } = server;
  const company = await server.given.company();
  const anna = await server.given.member(company);
  const set = (days: number | null) => setKeptAudio(db, asWorkspace(company.workspaceId), days);
  await set(30);
  const client = createUploader(server.url, anna.key);
  const upload = async (audio = WAV) => {
    const before = await db.$count(transcriptions);
    await client.patch(await client.begin(audio.length, { filename: "Plan.wav" }), 0, audio);
    const states = () => db.select({ state: transcriptions.state }).from(transcriptions);
    await expect
      .poll(async () => (await states()).filter(({ state }) => state === "completed").length)
      .toBe(before + 1);
    const [meeting] = await db.select().from(meetings);
    return meeting?.id ?? "";
  };
  const list = () => db.select().from(keptAudio);
  return { ...started, db, company, anna, set, store, upload, list };
}

/** Keeps a recording of a meeting that exists. */
const keep = (
  { store, company, anna }: Awaited<ReturnType<typeof startKeeping>>,
  meetingId: string,
  keepDays?: number | null,
) =>
  keepTestAudio(store, { meetingId, ownerId: anna.userId, workspaceId: company.workspaceId }, WAV, keepDays);

async function readKept({ store, list }: Awaited<ReturnType<typeof startKeeping>>) {
  const [row] = await list();
  if (!row) throw new Error("nothing is kept");
  return store.files.read(openKept(store, row));
}

describe("the audio of a meeting", () => {
  test("is kept, encrypted, for the days that the workspace says", async () => {
    const started = await startKeeping();
    const { upload, list, directory, company, anna } = started;
    const meetingId = await upload();
    const [row] = await list();
    const owner = { userId: anna.userId, workspaceId: company.workspaceId };
    expect(row).toMatchObject({ ...owner, meetingId, format: "wav", size: WAV.length, ready: true });
    const days = (Date.parse(row?.expiresAt ?? "") - Date.parse(row?.createdAt ?? "")) / 86_400_000;
    expect(Math.round(days)).toBe(30);
    await expect.poll(() => readdir(join(directory, "kept"))).toEqual([`${row?.id}.audio`]);
    await expect.poll(() => readdir(directory)).toEqual(["kept"]);
    const stored = await readFile(join(directory, "kept", `${row?.id}.audio`));
    expect(stored.includes(WAV.subarray(44, 1_044))).toBe(false);
    expect((await readKept(started)).equals(WAV)).toBe(true);
    // Another key of the ring, then only that one.
    const fresh = createKeyring([Buffer.alloc(32, 9), Buffer.alloc(32, 7)]);
    await rotateSecrets(started.db, fresh);
    const only = { ...started.store, keyring: createKeyring([Buffer.alloc(32, 9)]) };
    expect((await readKept({ ...started, store: only })).equals(WAV)).toBe(true);
  });

  test("is not kept by default, nor after the setting ended", async () => {
    const started = await startKeeping();
    await started.set(null);
    const meetingId = await started.upload();
    expect(await keep(started, meetingId)).toBe("off");
    expect(await started.list()).toEqual([]);
    await expect.poll(() => readdir(started.directory)).toEqual([]);
  });

  test("keeps its file for a day without a row, and has it again when the row is back", async () => {
    const started = await startKeeping();
    await started.upload();
    await expect.poll(async () => (await started.list())[0]?.ready).toBe(true);
    const [row] = await started.list();
    if (!row) throw new Error("nothing is kept");
    const kept = join(started.directory, "kept");
    const old = new Date("2026-01-01T00:00:00Z");
    await utimes(join(kept, `${row.id}.audio`), old, old);
    await started.db.delete(keptAudio);
    expect(await removeUnreadable(started.store)).toBe(0);
    expect(await readdir(kept)).toEqual([`${row.id}.audio`, `${row.id}.orphan`]);
    await started.db.insert(keptAudio).values(row);
    expect(await removeUnreadable(started.store)).toBe(0);
    expect(await readdir(kept)).toEqual([`${row.id}.audio`]);
    await started.db.delete(keptAudio);
    expect(await removeUnreadable(started.store)).toBe(0);
    await utimes(join(kept, `${row.id}.orphan`), old, old);
    expect(await removeUnreadable(started.store)).toBe(1);
    expect(await readdir(kept)).toEqual([]);
  });

  test.each<[string, { promised: number | null; stated?: number; kept: number | null }]>([
    ["nothing, and the workspace keeps it afterwards", { promised: null, kept: null }],
    ["fewer days, and more are set afterwards", { promised: 5, kept: 5 }],
    ["more days, and fewer are set afterwards", { promised: 90, kept: 30 }],
    ["less by the page from which it was sent", { promised: 30, stated: 2, kept: 2 }],
    ["nothing by that page", { promised: 30, stated: 0, kept: null }],
  ])("is kept as promised when its upload began: %s", async (_, { promised, stated, kept }) => {
    const { db, set, server, anna, list, audio } = await startKeeping();
    await set(promised);
    const client = createUploader(server.url, anna.key);
    const metadata = stated === undefined ? {} : { keepDays: String(stated) };
    const path = await client.begin(WAV.length, { filename: "Plan.wav", ...metadata });
    await set(30);
    await client.patch(path, 0, WAV);
    const states = () => db.select({ state: transcriptions.state }).from(transcriptions);
    await expect.poll(states).toEqual([{ state: "completed" }]);
    await audio.stop();
    const days = (await list()).map(({ createdAt, expiresAt }) =>
      Math.round((Date.parse(expiresAt) - Date.parse(createdAt)) / 86_400_000),
    );
    expect(days).toEqual(kept === null ? [] : [kept]);
  });

  test("is not kept when the setting ended before, even if it is back", async () => {
    const { db, set, server, anna } = await startKeeping();
    await createUploader(server.url, anna.key).begin(WAV.length, { filename: "Plan.wav" });
    await set(null);
    await set(30);
    expect(await db.select({ days: transcriptions.keepDays }).from(transcriptions)).toEqual([{ days: null }]);
  });

  test("is not kept on a disk that is nearly full", async () => {
    const started = await startKeeping();
    const { meetingId } = await started.server.given.meeting(started.anna);
    vi.spyOn(started.store.files, "hasRoom").mockResolvedValueOnce(false);
    expect(await keep(started, meetingId)).toBe("disk");
    expect(await started.list()).toEqual([]);
    expect(await keep(started, meetingId)).toBe("kept");
  });

  test("is there before the summary is, and ends with a recording that fails", async () => {
    const started = await startKeeping();
    const { db, company, anna, list } = started;
    await db
      .insert(schema.recordings)
      .values({ id: "rec_1", workspaceId: company.workspaceId, state: "processing", externalId: "a" });
    const draft = { recordingId: "rec_1", userId: anna.userId, content: "{}", dueAt: "2099-01-01T00:00:00Z" };
    await db.insert(schema.recordingDrafts).values(draft);
    expect(await keep(started, "rec_1")).toBe("kept");
    await expireAudio(db);
    expect(await list()).toHaveLength(1);
    await db.update(schema.recordings).set({ state: "failed" });
    await expireAudio(db);
    expect(await list()).toEqual([]);
  });

  test("of one recording is kept once, also when a process was killed while it wrote", async () => {
    const started = await startKeeping();
    const { upload, list, db } = started;
    const meetingId = await upload();
    await upload();
    const [first, ...others] = await list();
    expect(others).toEqual([]);
    await db.update(keptAudio).set({ ready: false });
    expect(await keep(started, meetingId)).toBe("kept");
    const [second] = await list();
    expect(second).toMatchObject({ ready: true });
    expect(second?.id).not.toBe(first?.id);
    expect(await compareAudio(started.store)).toEqual({ kept: 1, orphans: 1, missing: 0 });
    expect(await removeUnreadable(started.store, 0)).toBe(1);
    expect((await readKept(started)).equals(WAV)).toBe(true);
  });

  test("is not kept above the workspace's room", async () => {
    const started = await startKeeping();
    const [known, meetingId] = [
      (await started.server.given.meeting(started.anna)).meetingId,
      (await started.server.given.meeting(started.anna)).meetingId,
    ];
    expect(await keep(started, known)).toBe("kept");
    // As many rows as it takes: a size fits its column.
    const [row] = await started.list();
    if (!row) throw new Error("nothing is kept");
    for (let number = 0; number * 2e9 < LIMITS.keptAudioBytes; number++) {
      const other = await started.server.given.meeting(started.anna);
      const big = { ...row, id: `aud_${number}`, meetingId: other.meetingId, size: 2_000_000_000 };
      await started.db.insert(keptAudio).values(big);
    }
    expect(await keep(started, meetingId)).toBe("full");
    await started.db.delete(keptAudio).where(eq(keptAudio.id, "aud_0"));
    expect(await keep(started, meetingId)).toBe("kept");
  });

  test("can't be read in another place of the file, or with a changed byte", async () => {
    const started = await startKeeping();
    await started.upload();
    const [row] = await started.list();
    const path = join(started.directory, "kept", `${row?.id}.audio`);
    const stored = await readFile(path);
    const record = 256 * 1024 + 32;
    const swapped = Buffer.concat([
      stored.subarray(record, 2 * record),
      stored.subarray(0, record),
      stored.subarray(2 * record),
    ]);
    await writeFile(path, swapped);
    await expect(readKept(started)).rejects.toThrow("can't be decrypted");
    stored.writeUInt8(stored.readUInt8(record + 100) ^ 1, record + 100);
    await writeFile(path, stored);
    await expect(readKept(started)).rejects.toThrow("can't be decrypted");
  });
});

describe("audio ends at once", () => {
  /** What ends it. Each is called with a meeting that has audio. */
  const ENDS: Readonly<
    Record<string, (started: Awaited<ReturnType<typeof startKeeping>>, meetingId: string) => Promise<unknown>>
  > = {
    "when its meeting is deleted": ({ server, anna }, meetingId) =>
      server.data(anna.key, "me/meetings.delete", { meetingId }),
    "when a retention rule deletes its meeting": async ({ db, company }, meetingId) => {
      await db
        .update(meetings)
        .set({ startTime: sql`now() - interval '90 days'` })
        .where(eq(meetings.id, meetingId));
      await setRetentionRule(db, asWorkspace(company.workspaceId), { days: 30 });
      await db.update(schema.retentionRules).set({ nextRunAt: sql`now() - interval '1 second'` });
      await runRetention(db, NEVER);
    },
    "when a person is erased from the meeting": async ({ db }) => {
      const sought = await findSought(db, "ben@example.com");
      while ((await eraseFromMeetings(db, OPERATOR, sought, 10)).length > 0);
    },
    "when its owner leaves": ({ db, anna }) => leaveWorkspace(db, OPERATOR, anna.userId),
    "when its owner is erased": ({ db, anna }) => eraseUser(db, OPERATOR, anna.userId),
    "when the workspace keeps none anymore": ({ set }) => set(null),
    "when its days are over": async ({ db }) => {
      await db.update(keptAudio).set({ expiresAt: sql`now() - interval '1 second'` });
      await expireAudio(db);
    },
    "when the workspace keeps it for fewer days": async ({ db, set }) => {
      await db.update(keptAudio).set({ createdAt: sql`now() - interval '10 days'` });
      await set(9);
      await expireAudio(db);
    },
  };

  test.each(Object.keys(ENDS))("%s; its file follows", async (name) => {
    const started = await startKeeping();
    const { server, db, store, list, directory } = started;
    const transcript = [
      { speakerId: "b", speakerName: "Ben", speakerEmail: "ben@example.com", text: "Hello." },
    ];
    const { meetingId } = await server.given.meeting(started.anna, { transcript });
    const other = await server.given.meeting(started.company.admin);
    const ofAdmin = { ...started, anna: started.company.admin };
    expect([await keep(started, meetingId), await keep(ofAdmin, other.meetingId)]).toEqual(["kept", "kept"]);
    await ENDS[name]?.(started, meetingId);
    const left = (await list()).filter((row) => row.meetingId === meetingId);
    expect(left).toEqual([]);
    await removeUnreadable(store, 0);
    expect(await readdir(join(directory, "kept"))).toEqual((await list()).map(({ id }) => `${id}.audio`));
    // Its recording does not bring it back where the meeting is gone, or a person.
    if (/delete|erased|leaves/.test(name)) expect(await keep(started, meetingId)).toBe("gone");
    expect(await db.$count(keptAudio, eq(keptAudio.meetingId, meetingId))).toBe(0);
  });

  test("except that of a meeting on hold, which ends when it is released", async () => {
    const started = await startKeeping();
    const { db, anna, set, list } = started;
    const { meetingId } = await started.server.given.meeting(anna);
    const other = await started.server.given.meeting(anna);
    for (const id of [meetingId, other.meetingId]) await keep(started, id);
    await holdMeeting(db, OPERATOR, meetingId);
    await set(null);
    await expireAudio(db);
    expect((await list()).map((row) => row.meetingId)).toEqual([meetingId]);
    await db.delete(schema.meetingHolds);
    await expireAudio(db);
    expect(await list()).toEqual([]);
  });
});
