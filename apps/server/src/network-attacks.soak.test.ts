import { readFileSync } from "node:fs";
import net from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { generateToken } from "@minutes/core";
import { engine, testDatabase } from "@minutes/testing";
import { describe, expect, onTestFinished, test } from "vitest";
import { addPeople } from "./testing/people.js";
import { emptyDataDir, type Settings, startProcess } from "./testing/process.js";

const MEBIBYTE = 1024 * 1024;
/**
 * Milliseconds before an attacker connects again. Attackers share the processor with the server and with the calls that
 * are measured: much less, and their own work would be measured.
 */
const RECONNECT_PAUSE = 1_000;

/** Starts a server process on the engine of this run. */
async function startServer() {
  const settings: Settings =
    engine === "postgres"
      ? { DATABASE_URL: await ownDatabase(), SECRETS_KEY: Buffer.alloc(32).toString("base64") }
      : { DATA_DIR: await emptyDataDir(), DEMO: "off" };
  const people = await addPeople({ ...settings, LOG_LEVEL: "silent" });
  const server = await startProcess({ ...settings, RATE_LIMIT_PER_MINUTE: "1000000" });
  const { port } = new URL(server.url);
  const { pid } = server.child;
  /** Mebibytes of resident memory. */
  const memory = () =>
    (Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) * 1024) / MEBIBYTE;
  return { ...server, ...people, port: Number(port), memory };
}

async function ownDatabase(): Promise<string> {
  const database = await testDatabase();
  onTestFinished(() => database.close());
  return database.url ?? "";
}

/**
 * Opens a connection that sends requests, more whenever the server has taken or answered some, and opens it again
 * whenever the server ends it.
 */
function flood(port: number, bytes: () => string, options: { read: boolean }): () => void {
  let stopped = false;
  let socket: net.Socket;
  const connect = () => {
    if (stopped) return;
    socket = net.connect(port, "127.0.0.1", () => socket.write(bytes()));
    socket.on("error", () => {});
    socket.on("close", () => setTimeout(connect, RECONNECT_PAUSE));
    if (options.read) socket.on("data", () => socket.write(bytes()));
    else socket.pause();
    socket.on("drain", () => socket.write(bytes()));
    // A paused socket is told of its end only when it writes.
    const poll = setInterval(() => socket.write("", (error) => error && socket.destroy()), 100);
    socket.on("close", () => clearInterval(poll));
  };
  connect();
  return () => {
    stopped = true;
    socket.destroy();
  };
}

/** Measures calls one after another for a while. @returns sorted milliseconds, and the statuses that were seen */
async function measureCalls(url: string, headers: Record<string, string>, milliseconds: number) {
  const times: number[] = [];
  const statuses = new Set<number>();
  const end = performance.now() + milliseconds;
  while (performance.now() < end) {
    const began = performance.now();
    const response = await fetch(url, { headers });
    await response.arrayBuffer();
    times.push(performance.now() - began);
    statuses.add(response.status);
    await sleep(5);
  }
  times.sort((a, b) => a - b);
  const at = (share: number) => Math.round((times[Math.floor(share * (times.length - 1))] ?? 0) * 10) / 10;
  return { calls: times.length, median: at(0.5), p95: at(0.95), longest: at(1), statuses: [...statuses] };
}

describe.runIf(process.platform === "linux")("attacks from the network", { timeout: 300_000 }, () => {
  test.each([
    [5, 2_100],
    [400, 200],
  ])(
    "%i sockets that each send %i requests and never read: memory within 50 MiB, /health goes on",
    async (sockets, requests) => {
      const server = await startServer();
      const request = "GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n";
      await measureCalls(`${server.url}/openapi.json`, {}, 1_000);
      const before = server.memory();
      const calm = await measureCalls(`${server.url}/health`, {}, 2_000);
      const bytes = request.repeat(requests);
      const stops = Array.from({ length: sockets }, () => flood(server.port, () => bytes, { read: false }));
      let most = before;
      const watch = setInterval(() => {
        most = Math.max(most, server.memory());
      }, 50);
      const attacked = await measureCalls(`${server.url}/health`, {}, 10_000);
      clearInterval(watch);
      for (const stop of stops) stop();
      const growth = Math.round(most - before);
      console.log(engine, `${sockets} × ${requests}`, JSON.stringify({ growth, calm, attacked }));
      expect(attacked.statuses).toEqual([200]);
      expect(growth).toBeLessThan(50);
    },
  );

  test("200 connections that pipeline forged keys: a key in use is always answered, others get 429", async () => {
    const server = await startServer();
    const url = `${server.url}/v1/me/tags.list`;
    const headers = { "x-api-key": server.key };
    // Made before, so that making them takes nothing from the server.
    const packets = Array.from({ length: 2_000 }, () =>
      Array.from(
        { length: 8 },
        () => `GET /v1/me/tags.list HTTP/1.1\r\nHost: x\r\nx-api-key: ${generateToken("jk_")}\r\n\r\n`,
      ).join(""),
    );
    let next = 0;
    const forged = () => packets[next++ % packets.length] ?? "";
    await measureCalls(url, headers, 1_000);
    const calm = await measureCalls(url, headers, 3_000);
    const stops = Array.from({ length: 200 }, () => flood(server.port, forged, { read: true }));
    await sleep(500);
    const attacked = await measureCalls(url, headers, 10_000);
    const stranger = await fetch(url, { headers: { "x-api-key": generateToken("jk_") } });
    for (const stop of stops) stop();
    console.log(engine, "forged keys", JSON.stringify({ calm, attacked }));
    expect(attacked.statuses).toEqual([200]);
    expect(stranger.status).toBe(429);
  });
});
