/**
 * `pnpm bench:sync`: what the change feed costs. A month-old cursor, the price of imports and task updates with the
 * feed's triggers and indexes and without, and callers that wait. On PostgreSQL, in a database of its own.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import http from "node:http";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { connectPostgres } from "@minutes/db";
import { givenOn } from "@minutes/testing";
import { sql } from "drizzle-orm";
import postgres from "postgres";
import { computeMedian, computeQuantile } from "../requests/load.js";
import { measureMonth } from "./month.js";
import { measureWrites } from "./writes.js";

const { values: options } = parseArgs({
  options: {
    meetings: { type: "string", default: "100000" },
    changes: { type: "string", default: "1000" },
    rounds: { type: "string", default: "7" },
    waiting: { type: "string", default: "1000" },
    only: { type: "string", default: "writes,month,waiting" },
    help: { type: "boolean", default: false },
  },
});
const serverUrl = process.env.BENCH_DATABASE_URL;
if (options.help || !serverUrl) {
  console.log(
    "BENCH_DATABASE_URL=postgres://… pnpm bench:sync [--meetings 100000] [--changes 1000] [--rounds 7] [--waiting 1000] [--only writes,month,waiting]",
  );
  process.exit(options.help ? 0 : 1);
}

const server = postgres(serverUrl, { max: 1, onnotice: () => {} });
await server.unsafe("DROP DATABASE IF EXISTS sync_bench WITH (FORCE)");
await server.unsafe("CREATE DATABASE sync_bench");
const url = new URL(serverUrl);
url.pathname = "/sync_bench";
const connection = await connectPostgres({ url: url.href });
try {
  const only = options.only.split(",");
  if (only.includes("writes")) await measureWrites(connection.db, url.href, Number(options.rounds));
  if (only.includes("month"))
    await measureMonth(connection.db, Number(options.meetings), Number(options.changes));
  if (only.includes("waiting")) await measureWaiting(Number(options.waiting));
} finally {
  await connection.close();
  await server.unsafe("DROP DATABASE sync_bench WITH (FORCE)");
  await server.end();
}

/** Lets people wait, each with a key of their own, and changes something of one after the other. */
async function measureWaiting(count: number): Promise<void> {
  const given = givenOn(connection.db);
  const people = [];
  for (let at = 0; at < count; at++) people.push(await given.person());
  const program = fileURLToPath(new URL("server.ts", import.meta.url));
  const minutes = spawn(process.execPath, ["--import", "tsx", "--expose-gc", program], {
    env: { ...process.env, DATABASE_URL: url.href },
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const ask = async (what: string): Promise<number> => {
    const answered = once(minutes, "message");
    minutes.send(what);
    return Number((await answered)[0]);
  };
  const [port] = (await once(minutes, "message")) as [number];
  const agents = [1, 2].map((at) => new http.Agent({ localAddress: `127.0.0.${at}`, maxSockets: count }));
  const call = (key: string, input: object, at = 0): Promise<{ nextCursor: string; changes: unknown[] }> =>
    new Promise((resolve, reject) => {
      const path = `/sync/v1/me/changes.list?input=${encodeURIComponent(JSON.stringify({ json: input }))}`;
      const headers = { "x-api-key": key };
      const agent = agents[at % agents.length];
      http
        .get({ host: "127.0.0.1", port, path, headers, agent }, async (response) => {
          const text = (await response.toArray()).join("");
          if (response.statusCode !== 200) reject(new Error(text));
          else resolve(JSON.parse(text).result.data.json);
        })
        .on("error", reject);
    });
  const cursors: string[] = [];
  for (const { key } of people) cursors.push((await call(key, {})).nextCursor);
  const before = await ask("memory");
  const answers = people.map(({ key }, at) =>
    call(key, { cursor: cursors[at], wait: 30 }, at).then((page) => ({ page, at: performance.now() })),
  );
  for (;;) {
    const [row] = await connection.db
      .select({ held: sql<number>`count(*)::int` })
      .from(
        sql`pg_stat_activity where datname = 'sync_bench' and state = 'active' and pid <> pg_backend_pid()`,
      );
    if ((await ask("waiting")) === count && row?.held === 0) break;
  }
  const after = await ask("memory");
  const [used] = await connection.db
    .select({ connections: sql<number>`count(*)::int` })
    .from(sql`pg_stat_activity where datname = 'sync_bench'`);
  const idle = await ask("processor");
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  const idleMs = ((await ask("processor")) - idle) / 2;
  const delays: number[] = [];
  for (const [at, person] of people.slice(0, Math.min(count, 100)).entries()) {
    await given.meeting(person);
    const committed = performance.now();
    const answer = await answers[at];
    if (answer?.page.changes.length !== 1) throw new Error("A caller was answered without its change.");
    delays.push(answer.at - committed);
  }
  const sorted = Float64Array.from(delays).sort();
  console.log(
    `${count} waiting callers · ${((after - before) / 1024).toFixed(1)} MB more, ` +
      `${((after - before) / count).toFixed(1)} KB each · ${used?.connections} connections to the database · ` +
      `${idleMs.toFixed(1)} ms of processor time a second · from commit to answer: ` +
      `median ${computeMedian(delays).toFixed(1)} ms, p95 ${computeQuantile(sorted, 0.95).toFixed(1)} ms`,
  );
  // The end of the server ends the calls that still wait.
  for (const answer of answers) answer.catch(() => {});
  minutes.kill();
}
