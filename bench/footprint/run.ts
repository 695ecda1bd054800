/**
 * `pnpm bench:footprint`: startup time and memory of the server: idle, and after a thousand requests and 200 imports,
 * with the embedded engine and its sample, and on PostgreSQL if configured. `.ci/cold-start` measures a start on a
 * machine without packages. Linux only: memory is read from /proc.
 * With `--against`, compares starts, memory and three routes with another checkout.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { computeMedian } from "../requests/load.js";
import { createTemporaryDatabase } from "../search/service.js";
import { compare } from "./compare.js";
import {
  createOwner,
  minutes,
  REST,
  readMemory,
  type Settings,
  sendRequests,
  start,
  writeMeetings,
} from "./server.js";

const { values: options } = parseArgs({
  options: {
    starts: { type: "string", default: "5" },
    imports: { type: "string", default: "200" },
    requests: { type: "string", default: "1000" },
    against: { type: "string" },
    rounds: { type: "string", default: "7" },
    help: { type: "boolean", default: false },
  },
});
if (options.help) {
  console.log(
    `[BENCH_DATABASE_URL=postgres://…] pnpm bench:footprint [--starts 5] [--imports 200] [--requests 1000]
  --against DIRECTORY      compares with another checkout, whose packages are installed, in turn
  --rounds 7               of each checkout`,
  );
  process.exit(0);
}

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const UNLIMITED = { RATE_LIMIT_PER_MINUTE: "1000000" };

/** Starts the server several times, puts load on the last one, and returns a row of figures. */
async function measure(engine: string, settings: Settings) {
  const first = await start(ROOT, settings);
  await first.stop();
  const starts: number[] = [];
  for (let nth = 1; nth < Number(options.starts); nth++) {
    const again = await start(ROOT, settings);
    starts.push(again.milliseconds);
    await again.stop();
  }
  const server = await start(ROOT, settings);
  starts.push(server.milliseconds);
  try {
    await pause(REST);
    const atRest = readMemory(server.pid);
    const key = createOwner(ROOT, settings);
    const file = join(folder, `${engine}.json`);
    writeMeetings(file, Number(options.imports));
    const began = performance.now();
    minutes(ROOT, settings, "import", file);
    const imported = (1000 * Number(options.imports)) / (performance.now() - began);
    await sendRequests(server.url, key, Number(options.requests));
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

async function measureOne(): Promise<void> {
  minutes(ROOT, { DATA_DIR: join(folder, "none") }, "--version"); // builds the bundle if it is missing
  const rows = [await measure("embedded", { ...UNLIMITED, DATA_DIR: join(folder, "data") })];
  const serverUrl = process.env.BENCH_DATABASE_URL;
  if (serverUrl) {
    const database = await createTemporaryDatabase(serverUrl);
    const settings = { ...UNLIMITED, DATABASE_URL: database.url };
    rows.push(await measure("PostgreSQL", settings).finally(() => database.drop()));
  }
  console.table(rows);
  const npx = measureCommand("npx", "-y", "pnpm@10", "--version");
  console.log(
    `Before that, \`npx -y pnpm@10\` takes ${npx} s of every start, the registry's answer included.`,
  );
}

/** Compares this checkout with another one. */
async function measureAgainst(other: string): Promise<void> {
  const comparison = {
    rounds: Number(options.rounds),
    requests: Number(options.requests),
    imports: Number(options.imports),
  };
  const roots = [other, ROOT] as const;
  for (const root of roots) minutes(root, { DATA_DIR: join(folder, "none") }, "--version"); // builds the bundle if it is missing
  const embedded = async () => ({ ...UNLIMITED, DATA_DIR: mkdtempSync(join(folder, "data-")) });
  const rows = await compare("embedded", roots, embedded, comparison);
  const { BENCH_DATABASE_URL } = process.env;
  if (BENCH_DATABASE_URL) {
    const databases = [
      await createTemporaryDatabase(BENCH_DATABASE_URL),
      await createTemporaryDatabase(BENCH_DATABASE_URL),
    ];
    const urls = databases.values();
    const onServer = async () => ({ ...UNLIMITED, DATABASE_URL: urls.next().value?.url ?? "" });
    try {
      rows.push(...(await compare("PostgreSQL", roots, onServer, comparison)));
    } finally {
      for (const { drop } of databases) await drop();
    }
  }
  console.table(rows);
}

const folder = mkdtempSync(join(tmpdir(), "bench-footprint-"));
try {
  if (options.against === undefined) await measureOne();
  else await measureAgainst(resolve(options.against));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
