import { fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { generateToken } from "@minutes/core";
import { createTestDatabase, engine } from "@minutes/testing";
import { describe, expect, onTestFinished, test } from "vitest";
import { addPeople } from "../testing/people.js";
import { emptyDataDir, type Settings, startProcess } from "../testing/process.js";

/** Starts a server process on the engine of this run. */
async function startServer() {
  const settings: Settings =
    engine === "postgres"
      ? { DATABASE_URL: await createDatabase(), SECRETS_KEY: Buffer.alloc(32).toString("base64") }
      : { DATA_DIR: await emptyDataDir(), DEMO: "off" };
  const people = await addPeople({ ...settings, LOG_LEVEL: "silent" });
  const server = await startProcess({ ...settings, RATE_LIMIT_PER_MINUTE: "1000000" });
  const { pid } = server.child;
  /** Resident memory in MiB: current, or the maximum since the last reset. */
  const readMemory = (field: "VmRSS" | "VmHWM") =>
    Number(new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;
  const resetPeak = () => writeFileSync(`/proc/${pid}/clear_refs`, "5");
  return { ...server, ...people, port: Number(new URL(server.url).port), readMemory, resetPeak };
}

async function createDatabase(): Promise<string> {
  const database = await createTestDatabase();
  onTestFinished(() => database.close());
  return database.url ?? "";
}

/** Starts a helper process, so that attacks and measurements don't use the server's memory and CPU. */
function startHelper(program: URL) {
  const helper = fork(fileURLToPath(program));
  onTestFinished(() => void helper.kill());
  return helper;
}

/** Opens connections that send packets of requests one after another, and reopens those closed by the server. */
function attack(options: { port: number; connections: number; packets: readonly string[]; read: boolean }) {
  const attacker = startHelper(new URL("../testing/attacker.mjs", import.meta.url));
  attacker.send(options);
  return () => attacker.kill();
}

interface Measurement {
  readonly calls: number;
  readonly median: number;
  readonly p95: number;
  readonly longest: number;
  readonly statuses: readonly number[];
}

/** Starts a process that measures sequential calls. */
function startProbe() {
  const probe = startHelper(new URL("../testing/probe.mjs", import.meta.url));
  return async (url: string, headers: object, milliseconds: number): Promise<Measurement> => {
    probe.send({ url, headers, milliseconds });
    return (await once(probe, "message"))[0];
  };
}

/** Maximum duration of an answer of `/health` in ms. */
const MAX_ANSWER = 100;
/** Other load on the machine only adds to a measurement, so the minimum of several counts. */
const TRIES = 10;

describe.runIf(process.platform === "linux")("attacks from the network", { timeout: 300_000 }, () => {
  test.each([
    { connections: 5, requests: 2_100, maxGrowth: 50 },
    { connections: 400, requests: 200, maxGrowth: 120 },
  ])(
    "$connections sockets that each send $requests requests and never read: memory within $maxGrowth MiB, /health within 100 ms",
    async ({ connections, requests, maxGrowth }) => {
      const server = await startServer();
      const measure = startProbe();
      await measure(`${server.url}/openapi.json`, {}, 4_000);
      const calm = await measure(`${server.url}/health`, {}, 2_000);
      const before = server.readMemory("VmRSS");
      server.resetPeak();
      const packets = ["GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n".repeat(requests)];
      const stop = attack({ port: server.port, connections, packets, read: false });
      const attacked: Measurement[] = [];
      // Each lasts longer than the attacker's pause between connections. The last ones show that memory stays bounded.
      for (let nth = 0; nth < TRIES; nth++) attacked.push(await measure(`${server.url}/health`, {}, 3_000));
      stop();
      const growth = Math.round(server.readMemory("VmHWM") - before);
      console.log(engine, `${connections} × ${requests}`, JSON.stringify({ growth, calm, attacked }));
      expect([...new Set(attacked.flatMap(({ statuses }) => statuses))]).toEqual([200]);
      expect(growth).toBeLessThan(maxGrowth);
      expect(Math.min(...attacked.map(({ longest }) => longest))).toBeLessThan(MAX_ANSWER);
    },
  );

  test("200 connections that pipeline forged keys: a key in use is always answered, others get 429", async () => {
    const server = await startServer();
    const measure = startProbe();
    const url = `${server.url}/v1/me/tags.list`;
    const headers = { "x-api-key": server.key };
    const packets = Array.from({ length: 2_000 }, () =>
      Array.from(
        { length: 4 },
        () => `GET /v1/me/tags.list HTTP/1.1\r\nHost: x\r\nx-api-key: ${generateToken("jk_")}\r\n\r\n`,
      ).join(""),
    );
    await measure(url, headers, 1_000);
    const calm = await measure(url, headers, 3_000);
    const stop = attack({ port: server.port, connections: 200, packets, read: true });
    await sleep(500);
    const attacked = await measure(url, headers, 10_000);
    const stranger = await fetch(url, { headers: { "x-api-key": generateToken("jk_") } });
    stop();
    console.log(engine, "forged keys", JSON.stringify({ calm, attacked }));
    expect(attacked.statuses).toEqual([200]);
    expect(stranger.status).toBe(429);
  });
});
