import http from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { Installation } from "./people.js";

/** Calls per second of each kind, at fixed rates however long the server takes to answer. */
export interface Rates {
  readonly reads: number;
  readonly searches: number;
  readonly imports: number;
  readonly updates: number;
}

/** The answers to one kind of call. */
interface KindReport {
  readonly calls: number;
  /** Number of answers by status; 0 counts calls without an answer. */
  readonly statuses: Readonly<Record<number, number>>;
  /** From arrival to the last byte in ms, including the wait for a free connection. */
  readonly p50: number;
  readonly p99: number;
  readonly longest: number;
}

export type LoadReport = Readonly<Record<keyof Rates | "ready", KindReport>>;

interface Call {
  readonly path: string;
  readonly key?: string;
  readonly body?: object;
}

const WORDS = "alarm budget roadmap invoice harbour telescope migration deploy customer garden".split(" ");
const READS = ["me/meetings.list", "me/tasks.list", "me/tags.list", "me/meetings.get"];
/** Turns per imported meeting. */
const TURNS = 40;
/** Interval between probes of `/ready`, in ms. */
const PROBE_INTERVAL = 500;

/** Calls a server at fixed rates, over reused connections. */
export async function runMixedLoad(
  { url, key, ingestKey, email }: Installation & { url: string },
  { rates, connections, seconds }: { rates: Rates; connections: number; seconds: number },
): Promise<LoadReport> {
  const agents = Array.from(
    { length: connections },
    () => new http.Agent({ keepAlive: true, maxSockets: 1 }),
  );
  let sent = 0;
  const send = ({ path, key: apiKey, body }: Call) =>
    new Promise<{ status: number; text: string }>((resolve) => {
      const request = http.request(`${url}${path}`, {
        agent: agents[sent++ % connections],
        method: body ? "POST" : "GET",
        headers: {
          ...(apiKey ? { "x-api-key": apiKey } : {}),
          ...(body ? { "content-type": "application/json" } : {}),
        },
      });
      const fail = () => resolve({ status: 0, text: "" });
      request.on("error", fail).on("response", (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (chunk) => {
          text += chunk;
        });
        response.on("error", fail).on("end", () => resolve({ status: response.statusCode ?? 0, text }));
      });
      request.end(body ? JSON.stringify({ json: body }) : undefined);
    });

  const meetings: string[] = [];
  const tasks: string[] = [];
  const run = `load-${process.pid}-${Math.round(performance.now())}`;
  const input = (json: object) => `?input=${encodeURIComponent(JSON.stringify({ json }))}`;
  const importMeeting = async (at: number) => {
    const answer = await send({
      path: "/ingest/v1/meetings.import",
      key: ingestKey,
      body: {
        externalId: `${run}-${at}`,
        ownerEmail: email,
        title: `${WORDS[at % 10]} ${WORDS[(at * 7) % 10]}`,
        startTime: new Date().toISOString(),
        endTime: new Date(Date.now() + 60_000).toISOString(),
        transcript: Array.from({ length: TURNS }, (_, turn) => ({
          speakerId: String(turn % 3),
          speakerName: ["Ann", "Ben", "Cleo"][turn % 3],
          text: `The ${WORDS[(at + turn) % 10]} needs another ${WORDS[(at + 3 * turn) % 10]} before turn ${turn}.`,
        })),
        tasks: [{ text: `Look after the ${WORDS[at % 10]}` }],
      },
    });
    const id = /"meetingId":"([^"]+)"/.exec(answer.text)?.[1];
    if (id !== undefined) meetings.push(id);
    return answer;
  };
  const read = (at: number) => {
    const route = READS[at % READS.length] as string;
    const meetingId = meetings[(at * 13) % meetings.length];
    return send({ path: `/v1/${route}${route === "me/meetings.get" ? input({ meetingId }) : ""}`, key });
  };
  const search = (at: number) =>
    send({
      path: `/v1/me/meetings.search${input({ query: `${WORDS[at % 10]} before the ${WORDS[(at * 3) % 10]}` })}`,
      key,
    });
  const update = (at: number) => {
    const body = { taskId: tasks[at % tasks.length], completed: at % 2 === 0 };
    return send({ path: "/v1/me/tasks.update", key, body });
  };

  for (let at = 1; at <= 10; at++) await importMeeting(-at);
  const list = await send({ path: "/v1/me/tasks.list", key });
  tasks.push(...[...list.text.matchAll(/"id":"([^"]+)"/g)].map(([, id]) => id as string));

  const end = performance.now() + seconds * 1_000;
  const arrive = async (perSecond: number, call: (at: number) => Promise<{ status: number }>) => {
    const statuses: Record<number, number> = {};
    const times: number[] = [];
    const calls: Promise<void>[] = [];
    const measure = async (at: number, arrived: number) => {
      const { status } = await call(at);
      times.push(performance.now() - arrived);
      statuses[status] = (statuses[status] ?? 0) + 1;
    };
    const began = performance.now();
    for (let at = 0; began + (at * 1_000) / perSecond < end; at++) {
      const due = began + (at * 1_000) / perSecond;
      await sleep(Math.max(0, due - performance.now()));
      calls.push(measure(at, due));
    }
    await Promise.all(calls);
    times.sort((a, b) => a - b);
    const round = (share: number) => Math.round(times[Math.floor(share * (times.length - 1))] ?? 0);
    return { calls: calls.length, statuses, p50: round(0.5), p99: round(0.99), longest: round(1) };
  };
  const [reads, searches, imports, updates, ready] = await Promise.all([
    arrive(rates.reads, read),
    arrive(rates.searches, search),
    arrive(rates.imports, importMeeting),
    arrive(rates.updates, update),
    arrive(1_000 / PROBE_INTERVAL, () => send({ path: "/ready" })),
  ]);
  for (const agent of agents) agent.destroy();
  return { reads, searches, imports, updates, ready };
}

/** Returns the answers other than 200, by kind; empty if every call succeeded. */
export const findFailures = (report: LoadReport): Record<string, Record<string, number>> =>
  Object.fromEntries(
    Object.entries(report)
      .map(([kind, { statuses }]) => {
        const failed = Object.entries(statuses).filter(([status]) => status !== "200");
        return [kind, Object.fromEntries(failed)] as const;
      })
      .filter(([, failed]) => Object.keys(failed).length > 0),
  );
