import { rm, truncate } from "node:fs/promises";
import { get, type IncomingMessage } from "node:http";
import { join } from "node:path";
import { MESSAGES } from "@minutes/contract";
import { holdMeeting, OPERATOR } from "@minutes/core";
import { getRecording, setKeptAudio } from "@minutes/core/kept-audio";
import { schema } from "@minutes/db";
import { asWorkspace, openSignedInBrowser, readPayload } from "@minutes/testing";
import { eq, sql } from "drizzle-orm";
import { describe, expect, onTestFinished, test } from "vitest";
import { keepTestAudio, startAudioServer } from "../../testing/audio-uploads.js";
import { createWav, startTestServer } from "../../testing/index.js";

const { keptAudio } = schema;
const RECORD = 256 * 1024;
/** Two records and a bit. */
const WAV = createWav(40);

/** Starts a server with a meeting whose audio is kept. */
async function startWithAudio(audio: Uint8Array = WAV, options: Parameters<typeof startAudioServer>[0] = {}) {
  const started = await startAudioServer(options);
  const { server, keptAudio: store } = started;
  const company = await server.given.company();
  const anna = await server.given.member(company);
  await setKeptAudio(server.db, asWorkspace(company.workspaceId), 30);
  const { meetingId } = await server.given.meeting(anna);
  const meeting = { meetingId, ownerId: anna.userId, workspaceId: company.workspaceId };
  expect(await keepTestAudio(store, meeting, audio)).toBe("kept");
  const ask = (key: string, kind: "me" | "workspace" = "me", id = meetingId, method = "GET") =>
    fetch(`${server.url}/rest/v1/${kind}/meetings/${id}/recording`, {
      ...{ method, headers: { "x-api-key": key }, redirect: "manual" },
    });
  const getAddress = async (key = anna.key) => (await ask(key)).headers.get("location") ?? "";
  const hear = (address: string, headers: Record<string, string> = {}, method = "GET") =>
    fetch(new URL(address, server.url), { method, headers });
  return { ...started, store, company, anna, meetingId, ask, getAddress, hear };
}
type Started = Awaited<ReturnType<typeof startWithAudio>>;

const read = async (response: Response) => Buffer.from(await response.arrayBuffer());

describe("the address of a meeting's audio", () => {
  const begin = async () => {
    const started = await startWithAudio();
    return { started, address: await started.getAddress() };
  };

  test("302: REST redirects to it, for the owner and a workspace key, also for HEAD; and a program that follows hears it", async () => {
    const started = await startWithAudio();
    const { ask, anna, company, hear, server } = started;
    const mine = await ask(anna.key);
    expect([mine.status, mine.headers.get("cache-control")]).toEqual([302, "no-store"]);
    expect(await mine.json()).toEqual({
      address: mine.headers.get("location"),
      ...{ expiresAt: expect.stringMatching(/Z$/), type: "audio/wav", bytes: WAV.length, seconds: null },
    });
    expect((await ask(anna.key, "me", started.meetingId, "HEAD")).headers.get("location")).toMatch(
      /^\/audio/,
    );
    const ofWorkspace = await ask(company.key, "workspace");
    expect(ofWorkspace.status).toBe(302);
    expect((await hear(ofWorkspace.headers.get("location") ?? "")).status).toBe(200);
    const followed = await fetch(`${server.url}/rest/v1/me/meetings/${started.meetingId}/recording`, {
      headers: { authorization: `Bearer ${anna.key}` },
    });
    expect((await read(followed)).equals(WAV)).toBe(true);
  });

  test("200: all of the audio, with a type, not cached, without a key", async () => {
    const { started, address } = await begin();
    const whole = await started.hear(address);
    expect(whole.status).toBe(200);
    expect(Object.fromEntries(whole.headers)).toMatchObject({
      ...{ "content-type": "audio/wav", "content-length": `${WAV.length}`, "accept-ranges": "bytes" },
      ...{ "cache-control": "private, no-store", "x-content-type-options": "nosniff" },
    });
    expect((await read(whole)).equals(WAV)).toBe(true);
    const head = await started.hear(address, {}, "HEAD");
    expect([head.status, head.headers.get("content-length")]).toEqual([200, `${WAV.length}`]);
    expect(await read(head)).toHaveLength(0);
  });

  test("206: a range is sent as it was, also over the borders of records", async () => {
    const { started, address } = await begin();
    for (const [range, from, to] of [
      ["bytes=0-", 0, WAV.length],
      ["bytes=0-0", 0, 1],
      [`bytes=${RECORD - 10}-${RECORD + 9}`, RECORD - 10, RECORD + 10],
      [`bytes=${2 * RECORD}-`, 2 * RECORD, WAV.length],
      ["bytes=10-99999999", 10, WAV.length],
      ["bytes=-5", WAV.length - 5, WAV.length],
      ["bytes=-99999999", 0, WAV.length],
    ] as const) {
      const part = await started.hear(address, { range });
      const { headers } = part;
      expect([range, part.status, headers.get("content-range"), headers.get("content-length")]).toEqual([
        ...[range, 206, `bytes ${from}-${to - 1}/${WAV.length}`, `${to - from}`],
      ]);
      expect((await read(part)).equals(WAV.subarray(from, to))).toBe(true);
      expect((await started.hear(address, { range }, "HEAD")).status).toBe(206);
    }
  });

  test("416: a range behind the end; 200: what is no single range, or depends on a validator", async () => {
    const { started, address } = await begin();
    for (const range of [`bytes=${WAV.length}-`, "bytes=-0"]) {
      const none = await started.hear(address, { range });
      expect([none.status, none.headers.get("content-range")]).toEqual([416, `bytes */${WAV.length}`]);
    }
    for (const range of ["bytes=5-1", "bytes=0-1,4-5", "bytes=a-b", "bytes=-", "lines=1-2", "bytes=1e3-"])
      expect([range, (await started.hear(address, { range })).status]).toEqual([range, 200]);
    expect((await started.hear(address, { range: "bytes=0-1", "if-range": '"a"' })).status).toBe(200);
  });

  test("405: other methods; 404: an address that was changed, invented, or has ended", async () => {
    const { started, address } = await begin();
    const { hear, server, store, anna, company, meetingId } = started;
    expect((await hear(address, {}, "POST")).status).toBe(405);
    const other = await server.given.person();
    const caller = { kind: "user", userId: anna.userId, workspaceId: company.workspaceId } as const;
    const via = { kind: "key", keyId: "key_1" } as never;
    const ended = await getRecording(server.db, store, { ...caller, via }, meetingId, 0);
    const changed = [
      ended.address,
      address.replace(anna.userId, other.userId),
      address.replace(".user.", ".workspace."),
      address.replace(/\.(\d+)\./, (_, at: string) => `.${Number(at) + 1}.`),
      address.replace(/.$/, (last) => (last === "A" ? "B" : "A")).replace(/[\w-]{3}$/, "AAA"),
      address.slice(0, -1),
      `${address}/`,
      "/audio/v1/recordings/",
      "/audio/v1/recordings/aud_1.user.usr_1.99999999999.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
    ];
    for (const one of changed) {
      const answer = await hear(one);
      expect([one, answer.status, await answer.json()]).toEqual([one, 404, { error: MESSAGES.audioAddress }]);
    }
    expect((await hear(address, { range: "bytes=0-0" })).status).toBe(206);
  });

  test("pages of an allowed origin can follow the redirect with their key, without cookies; others can't", async () => {
    const page = "https://app.example.com";
    const started = await startWithAudio(WAV, { corsOrigins: [page] });
    const address = new URL(await started.getAddress(), started.server.url);
    const preflight = (origin: string) =>
      fetch(address, {
        method: "OPTIONS",
        headers: {
          ...{ origin, "access-control-request-method": "GET" },
          "access-control-request-headers": "range,x-api-key",
        },
      });
    const { headers } = await preflight(page);
    expect(headers.get("access-control-allow-origin")).toBe(page);
    expect(headers.get("access-control-allow-headers")?.split(",")).toEqual(
      expect.arrayContaining(["range", "x-api-key", "authorization"]),
    );
    const heard = await fetch(address, { headers: { origin: page, range: "bytes=0-9" } });
    expect(heard.status).toBe(206);
    expect(heard.headers.get("access-control-allow-origin")).toBe(page);
    expect(heard.headers.get("access-control-expose-headers")).toContain("Content-Range");
    const stranger = "https://other.example.com";
    for (const answer of [await preflight(stranger), heard])
      expect(answer.headers.get("access-control-allow-credentials")).toBeNull();
    expect((await preflight(stranger)).headers.get("access-control-allow-origin")).not.toBe(stranger);
  });

  test("the log has neither address nor signature", async () => {
    const { started, address } = await begin();
    const signature = address.split(".").at(-1) ?? "-";
    await started.hear(`${address}x`);
    expect(started.server.log.filter((line) => line.includes(signature))).toEqual([]);
  });
});

describe("who can hear a meeting", () => {
  test("403, 404: neither another tenant nor a member without a share gets an address", async () => {
    const { server, company, ask, meetingId } = await startWithAudio();
    const stranger = await server.given.company();
    const colleague = await server.given.member(company);
    const empty = await server.given.meeting(colleague);
    const answer = async (response: Promise<Response>) => {
      const { status, headers } = await response;
      expect(headers.get("location")).toBeNull();
      return status;
    };
    expect(await answer(ask(colleague.key))).toBe(403);
    expect(await answer(ask(stranger.admin.key))).toBe(403);
    expect(await answer(ask(stranger.key, "workspace"))).toBe(403);
    expect(await answer(ask("jk_invented"))).toBe(401);
    expect(await answer(ask(colleague.key, "me", "mtg_unknown"))).toBe(404);
    const none = await ask(colleague.key, "me", empty.meetingId);
    expect([none.status, await none.json()]).toEqual([404, { error: MESSAGES.noRecording }]);
    expect(await server.db.$count(keptAudio, eq(keptAudio.meetingId, meetingId))).toBe(1);
  });

  /** What ends an address that somebody has. */
  const ENDS: Readonly<Record<string, (started: Started) => Promise<unknown>>> = {
    "the meeting is deleted": ({ server, anna, meetingId }) =>
      server.data(anna.key, "me/meetings.delete", { meetingId }),
    "the workspace keeps no more audio": ({ server, company }) =>
      setKeptAudio(server.db, asWorkspace(company.workspaceId), null),
    "its days are over": ({ server }) =>
      server.db.update(keptAudio).set({ expiresAt: sql`now() - interval '1 second'` }),
    "its file is missing": async ({ server, directory }) => {
      const [row] = await server.db.select().from(keptAudio);
      await rm(join(directory, "kept", `${row?.id}.audio`));
    },
  };
  test.each(Object.keys(ENDS))("404: when %s, the address ends, and there is no other one", async (name) => {
    const started = await startWithAudio();
    const address = await started.getAddress();
    expect((await started.hear(address)).status).toBe(200);
    await ENDS[name]?.(started);
    expect((await started.hear(address)).status).toBe(404);
    expect((await started.ask(started.anna.key)).status).toBe(404);
  });

  test("the console says that there is audio while it can be heard", async () => {
    const { server, anna, meetingId } = await startWithAudio();
    const read = async (on = server) => {
      const browser = await openSignedInBrowser(on, anna);
      return (readPayload(await browser.read("console/v1/meetings.get", { meetingId })) as object) ?? {};
    };
    expect(await read()).toHaveProperty("hasAudio", true);
    const withoutDirectory = await startTestServer({
      database: server.database,
      connection: server.connection,
    });
    onTestFinished(() => withoutDirectory.close());
    expect(await read(withoutDirectory)).toHaveProperty("hasAudio", false);
    await server.db.update(keptAudio).set({ expiresAt: sql`now() - interval '1 second'` });
    expect(await read()).toHaveProperty("hasAudio", false);
    await holdMeeting(server.db, OPERATOR, meetingId);
    expect(await read()).toHaveProperty("hasAudio", true);
  });

  test("404: when a share ends, the address of its reader does; that of the owner works", async () => {
    const { server, company, anna, meetingId, getAddress, hear } = await startWithAudio();
    const ben = await server.given.member(company);
    await server.db.insert(schema.meetingShares).values({
      ...{ meetingId, ownerId: anna.userId, userId: ben.userId, workspaceId: company.workspaceId },
      startTime: sql`(select start_time from meetings where id = ${meetingId})`,
    });
    const [own, shared] = [await getAddress(), await getAddress(ben.key)];
    expect((await hear(shared)).status).toBe(200);
    await server.db.delete(schema.meetingShares);
    expect([(await hear(shared)).status, (await hear(own)).status]).toEqual([404, 200]);
  });
});

describe("what sending audio costs", () => {
  /** Opens a recording and reads nothing of it. */
  const openUnread = (url: string) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      get(url, { agent: false }, resolve).on("error", reject);
    });
  /** Reads the rest. @returns the number of bytes, and whether it was all */
  const readRest = (response: IncomingMessage) =>
    new Promise<{ bytes: number; complete: boolean }>((resolve) => {
      let bytes = 0;
      response.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
      });
      response.on("error", () => {});
      response.on("close", () => resolve({ bytes, complete: response.complete }));
    });
  /** More than the buffers of a connection. */
  const LONG = Buffer.alloc(24 * 1024 * 1024, 1);

  test("audio that is deleted while it is sent ends there", async () => {
    const { server, getAddress } = await startWithAudio(LONG);
    const response = await openUnread(`${server.url}${await getAddress()}`);
    await server.db.delete(keptAudio);
    const { bytes, complete } = await readRest(response);
    expect(complete).toBe(false);
    expect(bytes).toBeLessThan(LONG.length);
  });

  test("a fault after the first byte is logged; a listener who leaves is not", async () => {
    const { server, directory, getAddress } = await startWithAudio(LONG);
    const address = await getAddress();
    (await openUnread(`${server.url}${address}`)).destroy();
    const [row] = await server.db.select().from(keptAudio);
    const path = join(directory, "kept", `${row?.id}.audio`);
    await truncate(path, 2 * RECORD);
    const { complete } = await readRest(await openUnread(`${server.url}${address}`));
    expect(complete).toBe(false);
    const logged = () => server.log.filter((line) => line.includes("sending audio failed"));
    await expect.poll(logged).toEqual([expect.stringContaining("DamagedAudioError")]);
  });

  test("a fifth recording of a person at once ends their first one", async () => {
    const { server, getAddress } = await startWithAudio(LONG);
    const url = `${server.url}${await getAddress()}`;
    const opened: IncomingMessage[] = [];
    for (let number = 0; number < 5; number++) opened.push(await openUnread(url));
    // Neither needs a place.
    for (const [range, method] of [
      ["bytes=0-0", "HEAD"],
      [`bytes=${LONG.length}-`, "GET"],
    ] as const)
      await fetch(url, { method, headers: { range } });
    const [first, ...others] = opened;
    if (!first) throw new Error("nothing was opened");
    expect((await readRest(first)).complete).toBe(false);
    for (const other of others) expect(await readRest(other)).toEqual({ bytes: LONG.length, complete: true });
  });

  test("429: more than two a second, after a burst", async () => {
    const { getAddress, hear } = await startWithAudio();
    const address = await getAddress();
    const ask = async () => (await hear(address, { range: "bytes=0-0" }, "HEAD")).status;
    const statuses: number[] = [];
    while (!statuses.includes(429) && statuses.length < 2_000)
      statuses.push(...(await Promise.all(Array.from({ length: 50 }, ask))));
    expect(statuses).toContain(429);
    expect(statuses.filter((status) => status === 206).length).toBeGreaterThanOrEqual(120);
  });
});
