/**
 * `pnpm bench:footprint`: startup time and memory of the server: idle, and after a thousand requests and 200 imports,
 * with the embedded engine and its sample, and on PostgreSQL if configured. `.ci/cold-start` measures a start on a
 * machine without packages. Linux only: memory is read from /proc.
 */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { computeMedian } from "../requests/load.js";
import { createTemporaryDatabase } from "../search/service.js";

const { values: options } = parseArgs({
  options: {
    starts: { type: "string", default: "5" },
    imports: { type: "string", default: "200" },
    requests: { type: "string", default: "1000" },
    help: { type: "boolean", default: false },
  },
});
if (options.help) {
  console.log(
    "[BENCH_DATABASE_URL=postgres://…] pnpm bench:footprint [--starts 5] [--imports 200] [--requests 1000]",
  );
  process.exit(0);
}

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const MINUTES = join(ROOT, "apps/server/bin/minutes.js");
const START = join(ROOT, "scripts/start.js");
const EMAIL = "ines@example.com";
/** Time after a start at which the server is idle, in ms. */
const REST = 15_000;
/** Turns per imported meeting. */
const TURNS = 520;

const { PATH, HOME } = process.env;
type Settings = Readonly<Record<string, string>>;
const toEnv = (settings: Settings) => ({ PATH, HOME, PORT: "0", ...settings }) as NodeJS.ProcessEnv;

interface Started {
  readonly pid: number;
  readonly url: string;
  /** Time from the process's start to the first answer, in ms. */
  readonly milliseconds: number;
  stop(): Promise<unknown>;
}

/** Starts the server as `pnpm start` does, and waits for its first answer. */
async function start(settings: Settings): Promise<Started> {
  const began = performance.now();
  const server = spawn(process.execPath, [START, "--json"], {
    env: toEnv(settings),
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(server, "close");
  const url = await readUrl(server.stdout);
  server.stdout.resume(); // its log
  const answer = await fetch(`${url}/health`);
  if (answer.status !== 200) throw new Error(`/health answered ${answer.status}.`);
  const milliseconds = performance.now() - began;
  const stop = () => {
    server.kill();
    return ended;
  };
  return { pid: server.pid ?? 0, url, milliseconds, stop };
}

/** Waits for the line with the server's URL, between log lines. */
async function readUrl(output: Readable): Promise<string> {
  for await (const line of createInterface(output)) {
    const { url } = JSON.parse(line) as { url?: string };
    if (url !== undefined) return url;
  }
  throw new Error("The server ended before it listened.");
}

/** Reads a process's resident memory in MB. */
const readMemory = (pid: number): number =>
  Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;

const minutes = (settings: Settings, ...args: string[]): string =>
  execFileSync(process.execPath, [MINUTES, ...args], { env: toEnv(settings), encoding: "utf8" });

/** Writes meetings of 520 turns as a file for `minutes import`. */
function writeMeetings(file: string, count: number): void {
  const words =
    "we will have to look at the figures of the next quarter before anybody decides on the remote control";
  const vocabulary = words.split(" ");
  const sentence = (at: number) =>
    Array.from({ length: 14 }, (_, nth) => vocabulary[(at * 7 + nth * 3) % vocabulary.length]).join(" ");
  const meetings = Array.from({ length: count }, (_, meeting) => ({
    externalId: `footprint-${meeting}`,
    ownerEmail: EMAIL,
    title: `Meeting ${meeting}`,
    startTime: new Date(Date.UTC(2026, 0, 1, meeting)).toISOString(),
    transcript: Array.from({ length: TURNS }, (_, turn) => ({
      speakerId: `s${turn % 5}`,
      speakerName: `Speaker ${turn % 5}`,
      text: `${sentence(meeting + turn)}, part ${meeting * TURNS + turn}.`,
    })),
  }));
  writeFileSync(file, JSON.stringify(meetings));
}

/** Starts the server several times, puts load on the last one, and returns a row of figures. */
async function measure(engine: string, settings: Settings) {
  const first = await start(settings);
  await first.stop();
  const starts: number[] = [];
  for (let nth = 1; nth < Number(options.starts); nth++) {
    const again = await start(settings);
    starts.push(again.milliseconds);
    await again.stop();
  }
  const server = await start(settings);
  starts.push(server.milliseconds);
  try {
    await pause(REST);
    const atRest = readMemory(server.pid);
    minutes(settings, "users", "create", EMAIL);
    const { key } = JSON.parse(minutes(settings, "keys", "create", EMAIL, "--json")) as {
      key: string;
    };
    const file = join(folder, `${engine}.json`);
    writeMeetings(file, Number(options.imports));
    const began = performance.now();
    minutes(settings, "import", file);
    const imported = (1000 * Number(options.imports)) / (performance.now() - began);
    for (let nth = 0; nth < Number(options.requests); nth++)
      await (
        await fetch(`${server.url}/v1/me/meetings.list`, { headers: { "x-api-key": key } })
      ).arrayBuffer();
    const afterWork = readMemory(server.pid);
    await pause(REST);
    return {
      engine,
      "first start s": toSeconds(first.milliseconds),
      "later starts s": toSeconds(computeMedian(starts)),
      "at rest MB": Math.round(atRest),
      "after work MB": Math.round(afterWork),
      "later MB": Math.round(readMemory(server.pid)),
      "imported a second": Number(imported.toFixed(1)),
    };
  } finally {
    await server.stop();
  }
}

const toSeconds = (milliseconds: number): number => Number((milliseconds / 1000).toFixed(2));

/** Measures a command's overhead before Minutes runs, in seconds. */
function measureCommand(command: string, ...args: string[]): number {
  const times = Array.from({ length: 3 }, () => {
    const began = performance.now();
    execFileSync(command, args, { cwd: ROOT, stdio: "ignore" });
    return performance.now() - began;
  });
  return toSeconds(computeMedian(times));
}

const folder = mkdtempSync(join(tmpdir(), "bench-footprint-"));
try {
  minutes({ DATA_DIR: join(folder, "none") }, "--version"); // builds the bundle if it is missing
  const rows = [
    await measure("embedded", { DATA_DIR: join(folder, "data"), RATE_LIMIT_PER_MINUTE: "1000000" }),
  ];
  const serverUrl = process.env.BENCH_DATABASE_URL;
  if (serverUrl) {
    const database = await createTemporaryDatabase(serverUrl);
    const settings = { DATABASE_URL: database.url, RATE_LIMIT_PER_MINUTE: "1000000" };
    rows.push(await measure("PostgreSQL", settings).finally(() => database.drop()));
  }
  console.table(rows);
  const npx = measureCommand("npx", "-y", "pnpm@10", "--version");
  console.log(
    `Before that, \`npx -y pnpm@10\` takes ${npx} s of every start, the registry's answer included.`,
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
