import { spawn } from "node:child_process";
import { once } from "node:events";
import http from "node:http";
import { fileURLToPath } from "node:url";
import { MeetingImport } from "@minutes/contract";
import { importMeeting } from "@minutes/core";
import type { Database } from "@minutes/db";
import { givenOn, type Person } from "@minutes/testing";
import { sql } from "drizzle-orm";
import postgres from "postgres";
import { computeMedian, computeQuantile } from "../requests/load.js";

export interface WaitingOptions {
  /** Number of waiting callers. */
  readonly count: number;
  /** The callers are colleagues, and one person shares a tag with all of them and changes other meetings. */
  readonly shared: boolean;
  /** Duration in ms of consecutive transactions in another database; 0: none. */
  readonly open: number;
}

/** Number of callers that get a change. */
const CHANGES = 100;

/** Lets people wait, each with their own key, and changes something of one after the other. */
export async function measureWaiting(db: Database, url: URL, options: WaitingOptions): Promise<void> {
  const { count, shared, open } = options;
  const given = givenOn(db);
  const company = await given.company();
  const people: Person[] = [];
  for (let at = 0; at < count; at++) people.push(await (shared ? given.member(company) : given.person()));
  if (shared) {
    const tag = await given.tagged(await given.meeting(company.admin), "Team");
    await db.execute(sql`insert into tag_shares (tag_id, user_id, owner_id, workspace_id)
      select ${tag}, user_id, ${company.admin.userId}, workspace_id from members
      where workspace_id = ${company.workspaceId} and user_id <> ${company.admin.userId}`);
  }
  const minutes = await startServer(url.href);
  const cursors: string[] = [];
  for (const { key } of people) cursors.push((await minutes.call(key, {})).nextCursor);
  const before = await minutes.ask("memory");
  const answers = people.map(({ key }, at) =>
    minutes
      .call(key, { cursor: cursors[at], wait: 30 }, at)
      .then((page) => ({ page, at: performance.now() })),
  );
  for (;;) {
    const [row] = await db
      .select({ held: sql<number>`count(*)::int` })
      .from(
        sql`pg_stat_activity where datname = current_database() and state = 'active' and pid <> pg_backend_pid()`,
      );
    if ((await minutes.ask("waiting")) === count && row?.held === 0) break;
  }
  const after = await minutes.ask("memory");
  const [used] = await db
    .select({ connections: sql<number>`count(*)::int` })
    .from(sql`pg_stat_activity where datname = current_database()`);
  const idle = await minutes.ask("processor");
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  const idleMs = ((await minutes.ask("processor")) - idle) / 2;
  const stopTransactions = keepTransactionOpen(url, open);
  const busy = await minutes.ask("processor");
  const delays: number[] = [];
  for (const [at, person] of people.slice(0, CHANGES).entries()) {
    if (shared) await importMeeting(db, createMeeting(company.admin, at));
    await importMeeting(db, createMeeting(person, at));
    const committed = performance.now();
    const answer = await answers[at];
    if (answer?.page.changes.length !== 1) throw new Error("A caller was answered without its change.");
    delays.push(answer.at - committed);
  }
  const busyMs = ((await minutes.ask("processor")) - busy) / delays.length;
  await stopTransactions();
  const sorted = Float64Array.from(delays).sort();
  console.log(
    `${count} waiting callers${shared ? " who share a tag" : ""}${open ? `, others' transactions of ${open} ms` : ""} · ` +
      `${((after - before) / count).toFixed(1)} KB each · ${used?.connections} connections to the database · ` +
      `${idleMs.toFixed(1)} ms of processor time a second, ${busyMs.toFixed(1)} ms for each change · ` +
      `from commit to answer: median ${computeMedian(delays).toFixed(1)} ms, p95 ${computeQuantile(sorted, 0.95).toFixed(1)} ms`,
  );
  // Stopping the server ends the calls that still wait.
  for (const answer of answers) answer.catch(() => {});
  minutes.kill();
}

const createMeeting = ({ email }: Person, at: number) =>
  MeetingImport.parse({
    externalId: `waiting-${email}-${at}`,
    ownerEmail: email,
    title: `Meeting ${at}`,
    startTime: new Date().toISOString(),
  });

interface Page {
  readonly nextCursor: string;
  readonly changes: readonly unknown[];
}

/** Starts the service in its own process. */
async function startServer(url: string) {
  const program = fileURLToPath(new URL("server.ts", import.meta.url));
  const server = spawn(process.execPath, ["--import", "tsx", "--expose-gc", program], {
    env: { ...process.env, DATABASE_URL: url },
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const [port] = (await once(server, "message")) as [number];
  const agents = [1, 2].map((at) => new http.Agent({ localAddress: `127.0.0.${at}`, maxSockets: 10_000 }));
  return {
    /** Queries `waiting`, `memory` in KB, or `processor` time in ms. */
    ask: async (what: string): Promise<number> => {
      const answered = once(server, "message");
      server.send(what);
      return Number((await answered)[0]);
    },
    call: (key: string, input: object, at = 0): Promise<Page> =>
      new Promise((resolve, reject) => {
        const path = `/sync/v1/me/changes.list?input=${encodeURIComponent(JSON.stringify({ json: input }))}`;
        const options = { host: "127.0.0.1", port, path, headers: { "x-api-key": key } };
        http
          .get({ ...options, agent: agents[at % agents.length] }, async (response) => {
            const text = (await response.toArray()).join("");
            if (response.statusCode !== 200) reject(new Error(text));
            else resolve(JSON.parse(text).result.data.json);
          })
          .on("error", reject);
      }),
    kill: () => server.kill(),
  };
}

/** Keeps a writing transaction open in another database, each for this many ms. @returns a function that stops it */
function keepTransactionOpen(url: URL, milliseconds: number): () => Promise<void> {
  if (milliseconds === 0) return async () => {};
  const other = new URL(url);
  other.pathname = "/postgres";
  const client = postgres(other.href, { max: 1 });
  let stopped = false;
  const ended = (async () => {
    while (!stopped)
      await client.begin((tx) => tx`select pg_current_xact_id(), pg_sleep(${milliseconds / 1000})`);
  })();
  return async () => {
    stopped = true;
    await ended;
    await client.end();
  };
}
