import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { collectGarbage, createRandom, send } from "@minutes/testing";
import type { TestServer } from "../server.js";
import { generateHostileRequests, type HostileRequest } from "./requests.js";

/** The effects of a storm of hostile requests on a server. */
export interface StormReport {
  /** Number of requests by status; 0 counts those whose connection ended. */
  readonly statuses: Readonly<Record<number, number>>;
  /** Requests answered with 5xx, and logged faults. */
  readonly faults: readonly string[];
  /** Requests that blocked the process for over 100 ms on every retry. */
  readonly blocking: readonly string[];
  /** Growth of resident memory after a collection, in MiB. */
  readonly memoryGrowth: number;
  /** Growth of used memory in MiB: what JavaScript and the engine retain after a collection. */
  readonly heldGrowth: number;
}

/** Maximum time in ms that one request can block all others. */
const BLOCKED = 100;
const MEBIBYTE = 1024 * 1024;
const AT_ONCE = 16;
/** Maximum number of retried requests. */
const SUSPECTS = 320;
/** Share of requests before memory is measured: by then, code is compiled and pools are filled. */
const WARM_UP = 0.1;

const describe = ({ method, path, headers, body }: HostileRequest): string =>
  `${method} ${path.slice(0, 200)} ${headers["content-type"] ?? ""} ${String(body ?? "").slice(0, 200)}`;

interface Memory {
  /** Memory of the process in MiB, including what the allocator caches. */
  readonly resident: number;
  /** Used memory in MiB. */
  readonly held: number;
}

/**
 * Measures memory after collections. Pages are returned to the system with a delay, so the minimum of several
 * measurements counts.
 */
async function measureMemory(): Promise<Memory> {
  const looks: Memory[] = [];
  for (let look = 0; look < 5; look++) {
    collectGarbage();
    const { rss, heapUsed, external } = process.memoryUsage();
    looks.push({ resident: rss / MEBIBYTE, held: (heapUsed + external) / MEBIBYTE });
    await sleep(200);
  }
  return {
    resident: Math.min(...looks.map(({ resident }) => resident)),
    held: Math.min(...looks.map(({ held }) => held)),
  };
}

/** Sends hostile requests to a server in this process, 16 concurrently. The same seed sends the same requests. */
export async function runStorm(server: TestServer, count: number, seed: number): Promise<StormReport> {
  const company = await server.given.company();
  await server.given.richMeeting(company.admin);
  const keys = {
    personal: company.admin.key,
    workspace: company.key,
    ingest: await server.given.ingestKey(company),
    session: await server.given.session(company.admin),
  };
  const statuses: Record<number, number> = {};
  const faults: string[] = [];
  const suspects: HostileRequest[] = [];
  const delay = monitorEventLoopDelay({ resolution: 5 });
  const sendOne = async (request: HostileRequest) => {
    const { status, text } = await send(server.url, request.path, request).catch(() => ({
      status: 0,
      text: "",
    }));
    statuses[status] = (statuses[status] ?? 0) + 1;
    if (status >= 500) faults.push(`${status} ${text.slice(0, 100)}: ${describe(request)}`);
  };

  let sent = 0;
  let before: Memory | undefined;
  let batch: HostileRequest[] = [];
  delay.enable();
  const sendBatch = async () => {
    delay.reset();
    await Promise.all(batch.map(sendOne));
    if (delay.max / 1e6 > BLOCKED && suspects.length < SUSPECTS) suspects.push(...batch);
    sent += batch.length;
    // The test's own copy of the log must not count as the server's memory.
    for (const line of (server.log as string[]).splice(0)) if (line.includes('"level":50')) faults.push(line);
    batch = [];
    if (sent >= count * WARM_UP) before ??= await measureMemory();
  };
  for (const request of generateHostileRequests(createRandom(seed), keys, count)) {
    batch.push(request);
    if (batch.length === AT_ONCE) await sendBatch();
  }
  await sendBatch();
  delay.disable();
  const after = await measureMemory();
  return {
    statuses,
    faults,
    blocking: await findBlocking(suspects, sendOne),
    memoryGrowth: after.resident - (before?.resident ?? 0),
    heldGrowth: after.held - (before?.held ?? 0),
  };
}

/**
 * Retries suspects one by one. A busy machine and garbage collection also block a process, so only a request that takes
 * over 100 ms of CPU time in each of five tries is at fault.
 */
async function findBlocking(
  suspects: readonly HostileRequest[],
  sendOne: (request: HostileRequest) => Promise<void>,
): Promise<string[]> {
  const blocking: string[] = [];
  for (const request of suspects) {
    let least = Number.POSITIVE_INFINITY;
    for (let attempt = 0; attempt < 5 && least > BLOCKED; attempt++) {
      const used = process.cpuUsage();
      await sendOne(request);
      const { user, system } = process.cpuUsage(used);
      least = Math.min(least, (user + system) / 1_000);
    }
    if (least > BLOCKED) blocking.push(`${Math.round(least)} ms: ${describe(request)}`);
  }
  return blocking;
}
