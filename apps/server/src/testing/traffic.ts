import http from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { Installation } from "./people.js";

/** What clients observed of a server. */
export interface TrafficReport {
  /** Number of answers by status; 0 counts calls without an answer. */
  readonly statuses: Readonly<Record<number, number>>;
  /** Duration of the longest call to `/v1`, in ms. */
  readonly longest: number;
  /** Duration of the longest import, in ms. */
  readonly longestImport: number;
  /** Ids of meetings whose import was answered with 200. */
  readonly imported: readonly string[];
  /** The last text of each task whose change was answered with 200, an increasing number. */
  readonly updated: ReadonlyMap<string, number>;
}

export interface Traffic {
  /** Resolves when a read and a write of `/v1` that began after now were answered with 200. @returns ms until then */
  untilServed(): Promise<number>;
  /** Ends the clients after their current calls. */
  stop(): Promise<TrafficReport>;
}

/** Pause of a client between two calls in ms, so that the server is not saturated. */
const PAUSE = 20;

let imports = 0;

/** Clients that list meetings, change one task each, or import meetings. */
export interface Clients {
  readonly readers: number;
  readonly updaters: number;
  readonly importers: number;
}

/** Starts clients that read and write, each with sequential calls on one connection. */
export async function startTraffic(
  { url, key, ingestKey, email }: Installation & { url: string },
  { readers, updaters, importers }: Clients,
): Promise<Traffic> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: readers + updaters + importers });
  const statuses: Record<number, number> = {};
  const imported: string[] = [];
  const updated = new Map<string, number>();
  const lastServed = { reader: 0, updater: 0, importer: 0 };
  const longest = { reader: 0, updater: 0, importer: 0 };
  let running = true;

  const call = (path: string, apiKey: string, body?: string): Promise<{ status: number; text: string }> =>
    new Promise((resolve) => {
      const request = http.request(`${url}${path}`, {
        agent,
        method: body === undefined ? "GET" : "POST",
        headers: {
          "x-api-key": apiKey,
          ...(body === undefined ? {} : { "content-type": "application/json" }),
        },
      });
      request.on("error", () => resolve({ status: 0, text: "" }));
      request.on("response", (response) => {
        let text = "";
        response.setEncoding("utf8");
        response.on("data", (chunk) => {
          text += chunk;
        });
        response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
        response.on("error", () => resolve({ status: 0, text: "" }));
      });
      request.end(body);
    });
  const measure = async (kind: keyof typeof lastServed, ...args: Parameters<typeof call>) => {
    const began = performance.now();
    const answer = await call(...args);
    longest[kind] = Math.max(longest[kind], performance.now() - began);
    statuses[answer.status] = (statuses[answer.status] ?? 0) + 1;
    if (answer.status === 200) lastServed[kind] = began;
    await sleep(PAUSE);
    return answer;
  };
  const read = async () => {
    while (running) await measure("reader", "/v1/me/meetings.list", key);
  };
  const importOne = async (tasks: number) => {
    const meeting = {
      externalId: `traffic-${++imports}`,
      ownerEmail: email,
      title: "Traffic",
      startTime: "2026-01-05T09:00:00Z",
      endTime: "2026-01-05T09:30:00Z",
      transcript: [{ speakerId: "1", speakerName: "Ann", text: "We begin." }],
      tasks: Array.from({ length: tasks }, () => ({ text: "0" })),
    };
    const body = JSON.stringify({ json: meeting });
    const { status, text } = await measure("importer", "/ingest/v1/meetings.import", ingestKey, body);
    if (status === 200) imported.push(/"meetingId":"([^"]+)"/.exec(text)?.[1] ?? text);
  };
  const importMany = async () => {
    while (running) await importOne(0);
  };
  const update = async ([taskId, text]: [string, string]) => {
    for (let at = Number(text) + 1; running; at++) {
      const body = JSON.stringify({ json: { taskId, text: String(at) } });
      if ((await measure("updater", "/v1/me/tasks.update", key, body)).status === 200)
        updated.set(taskId, at);
    }
  };

  await importOne(updaters);
  const tasks = await listTasks(url, key);
  const clients = [
    ...Array.from({ length: readers }, read),
    ...[...tasks].slice(0, updaters).map(update),
    ...Array.from({ length: importers }, importMany),
  ];
  return {
    untilServed: async () => {
      const began = performance.now();
      while (Math.min(lastServed.reader, lastServed.updater) < began) await sleep(10);
      return performance.now() - began;
    },
    stop: async () => {
      running = false;
      await Promise.all(clients);
      agent.destroy();
      return {
        statuses,
        longest: Math.max(longest.reader, longest.updater),
        longestImport: longest.importer,
        imported,
        updated,
      };
    },
  };
}

/** Calls a listing procedure of `/v1/me`. */
async function list<Page>(url: string, key: string, route: string, input: object): Promise<Page> {
  const parameter = encodeURIComponent(JSON.stringify({ json: input }));
  const response = await fetch(`${url}/v1/me/${route}?input=${parameter}`, { headers: { "x-api-key": key } });
  const { result } = (await response.json()) as { result: { data: { json: Page } } };
  return result.data.json;
}

/** Returns the texts of a person's first hundred tasks, by id. */
async function listTasks(url: string, key: string): Promise<Map<string, string>> {
  const { tasks } = await list<{ tasks: { id: string; text: string }[] }>(url, key, "tasks.list", {
    limit: 100,
  });
  return new Map(tasks.map(({ id, text }) => [id, text]));
}

/** Returns ids of meetings and tasks that were acknowledged but are missing on the server. */
export async function findLost(
  url: string,
  key: string,
  { imported, updated }: Pick<TrafficReport, "imported" | "updated">,
): Promise<string[]> {
  const stored = new Set<string>();
  let cursor: string | null = null;
  do {
    const page: { meetings: { id: string }[]; nextCursor: string | null } = await list(
      url,
      key,
      "meetings.list",
      { limit: 100, ...(cursor ? { cursor } : {}) },
    );
    for (const { id } of page.meetings) stored.add(id);
    cursor = page.nextCursor;
  } while (cursor);
  const tasks = await listTasks(url, key);
  // An unanswered change may have been stored, so the text can be a later one.
  const behind = [...updated].filter(([id, text]) => !(Number(tasks.get(id)) >= text)).map(([id]) => id);
  return [...imported.filter((id) => !stored.has(id)), ...behind];
}
