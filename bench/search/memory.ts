import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import { findSearchBenchmark } from "@minutes/testing";
import { readMeetings } from "./dataset.js";
import { createTemporaryDatabase } from "./service.js";

/**
 * `pnpm bench:search:memory [--meetings 4] [--engine embedded|postgres]`
 *
 * How much memory a whole server takes more while the built-in model encodes meetings, how much a minute later, and how
 * many meetings it encodes a minute. The server is a process of its own, as `pnpm minutes start` runs it; its resident memory and
 * processor time are read from Linux's /proc. PostgreSQL is the server of DATABASE_URL.
 */
const { values: options } = parseArgs({
  options: { meetings: { type: "string", default: "4" }, engine: { type: "string", default: "embedded" } },
});
const MINUTES = fileURLToPath(new URL("../../apps/server/bin/minutes.js", import.meta.url));
const OWNER = "searcher@example.com";
/** Time after the start at which the server is idle and encoding has not begun, in ms. */
const REST = 8_000;
/** Time after the last vector within which the memory must be released, in ms. */
const AFTERWARDS = 60_000;
const MEGABYTE = 1e6;
/** Ticks per second in /proc/<pid>/stat. */
const TICKS = 100;

const benchmark = findSearchBenchmark();
if (!benchmark) throw new Error("SEARCHBENCH_DIR names no directory of the benchmark.");
const meetings = readMeetings(join(benchmark, "val")).slice(0, Number(options.meetings));
const folder = mkdtempSync(join(tmpdir(), "bench-memory-"));
const serverUrl = process.env.DATABASE_URL;
if (options.engine === "postgres" && !serverUrl) throw new Error("DATABASE_URL names no PostgreSQL server.");
const database = options.engine === "postgres" ? await createTemporaryDatabase(serverUrl ?? "") : null;
const { PATH, HOME } = process.env;
const env = {
  ...{ PATH, HOME, DATA_DIR: join(folder, "data"), DEMO: "off", PORT: "0", EMBEDDINGS: "builtin" },
  ...(database ? { DATABASE_URL: database.url } : {}),
} as unknown as NodeJS.ProcessEnv;

const minutes = async (...args: string[]): Promise<string> =>
  (await promisify(execFile)(process.execPath, [MINUTES, ...args], { env, maxBuffer: 1 << 26 })).stdout;

/** Counts the meetings with vectors. */
async function countEncoded(): Promise<number> {
  const { vectors } = JSON.parse(await minutes("embeddings", "status", "--json"));
  return vectors.reduce((sum: number, { meetings }: { meetings: number }) => sum + meetings, 0);
}

/** Reads a process's resident memory in bytes. */
const readMemory = (pid: number): number =>
  1024 * Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);

/** Reads a process's CPU time in seconds. */
function readProcessorTime(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) / TICKS;
}

try {
  const files = meetings.map(({ id, title, date, segments }) => ({
    externalId: id,
    ownerEmail: OWNER,
    title,
    startTime: `${date}T09:00:00.000Z`,
    transcript: segments.map(({ speaker, text }) => ({ speakerId: speaker, speakerName: speaker, text })),
  }));
  writeFileSync(join(folder, "meetings.json"), JSON.stringify(files));
  await minutes("users", "create", OWNER);
  await minutes("import", join(folder, "meetings.json"));
  const server = spawn(process.execPath, [MINUTES, "start"], { env, stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(server, "close");
  try {
    await measure(server.pid ?? 0, waitForLine(server.stdout, '"listening"'));
  } finally {
    server.kill();
    await ended;
  }
} finally {
  await database?.drop();
  rmSync(folder, { recursive: true, force: true });
}

async function waitForLine(stream: Readable, text: string): Promise<void> {
  for await (const line of createInterface({ input: stream })) if (line.includes(text)) return;
}

async function measure(pid: number, started: Promise<unknown>): Promise<void> {
  await started;
  await pause(REST);
  const atRest = readMemory(pid);
  const processor = readProcessorTime(pid);
  const began = performance.now();
  let most = atRest;
  const timer = setInterval(() => {
    most = Math.max(most, readMemory(pid));
  }, 100);
  while ((await countEncoded()) < meetings.length) await pause(5_000);
  const seconds = (performance.now() - began) / 1_000;
  const used = readProcessorTime(pid) - processor;
  await pause(AFTERWARDS);
  clearInterval(timer);
  const more = (bytes: number) => `+${((bytes - atRest) / MEGABYTE).toFixed(0)} MB`;
  const turns = meetings.reduce((sum, { segments }) => sum + segments.length, 0) / meetings.length;
  const perMinute = (time: number) => ((60 * meetings.length) / time).toFixed(1);
  console.log(
    `${options.engine}: at rest ${(atRest / MEGABYTE).toFixed(0)} MB, at most ${more(most)}, a minute later ${more(readMemory(pid))}`,
  );
  console.log(
    `${options.engine}: ${meetings.length} meetings of ${turns.toFixed(0)} turns, ${perMinute(seconds)} a minute, ` +
      `${perMinute(used)} a minute of processor time`,
  );
}
