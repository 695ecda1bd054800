/** The process that calls as one tenant, over several connections at once. */
import http from "node:http";
import type { MeetingImportInput } from "@minutes/contract";

export const KINDS = ["search", "ask", "import", "versions", "feed", "mcp"] as const;
export type Kind = (typeof KINDS)[number];

/** What the tenant calls with. Each connection has a meeting of its own. */
export interface Tenant {
  readonly key: string;
  readonly ingestKey: string;
  readonly email: string;
  readonly meetingIds: readonly string[];
  readonly content: Pick<MeetingImportInput, "transcript" | "tasks">;
  readonly query: string;
}

/** What the tenant was answered. */
export interface TenantReport {
  /** Number of answers by status. */
  readonly statuses: Readonly<Record<number, number>>;
  /** Longest call in ms. */
  readonly longest: number;
}

interface Sent {
  readonly path: string;
  readonly method?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

const agent = new http.Agent({ keepAlive: true });

/** Sends a request. @returns the status and body */
export const sendOne = (port: number, { path, method = "GET", headers, body }: Sent) =>
  new Promise<{ status: number; text: string }>((resolve, reject) => {
    const type = body === undefined ? {} : { "content-type": "application/json" };
    const all = { ...type, ...headers };
    const request = http.request(
      { agent, port, host: "127.0.0.1", path, method, headers: all },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk)).on("error", reject);
        response.on("end", () =>
          resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }),
        );
      },
    );
    request.on("error", reject).end(body);
  });

/** Answers of a connection's previous calls. */
interface Memory {
  version: number;
  cursor: string | undefined;
}

/** Creates the calls of a kind: the nth of a connection. */
function createCalls(tenant: Tenant, kind: Kind): (connection: number, nth: number, memory: Memory) => Sent {
  const { key, ingestKey, meetingIds, query } = tenant;
  const headers = { "x-api-key": key };
  const rest = { authorization: `Bearer ${key}` };
  const text = encodeURIComponent(query);
  const run = `${process.pid}-${Date.now()}`;
  const callTool = (name: string, args: object): Sent => ({
    path: "/mcp",
    method: "POST",
    headers: { ...rest, accept: "application/json, text/event-stream" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } }),
  });
  switch (kind) {
    case "search": {
      const input = encodeURIComponent(JSON.stringify({ json: { query, startDate: "2000-01-01" } }));
      return () => ({ path: `/v1/me/meetings.search?input=${input}`, headers });
    }
    case "ask":
      return () => ({ path: `/rest/v1/me/ask?question=${text}`, headers: rest });
    case "import": {
      const meeting = {
        ...tenant.content,
        ownerEmail: tenant.email,
        title: "Import",
        startTime: "2026-01-01T00:00:00Z",
      };
      const body = JSON.stringify(meeting).slice(1);
      return (connection, nth) => ({
        path: "/ingest/v1/meetings.import",
        method: "POST",
        headers: { "x-api-key": ingestKey },
        body: `{"json":{"externalId":"${run}-${connection}-${nth}",${body}}`,
      });
    }
    case "versions":
      return (connection, nth, { version }) => {
        const path = `/rest/v1/me/meetings/${meetingIds[connection]}`;
        if (version === 0) return { path: `${path}/versions`, headers: rest };
        const body = { baseVersion: version };
        return [
          {
            path: `${path}/transcript/0`,
            method: "PATCH",
            headers: rest,
            body: JSON.stringify({ ...body, spokenText: `Turn ${nth}` }),
          },
          { path: `${path}/versions/1`, headers: rest },
          { path: `${path}/versions/1/restore`, method: "POST", headers: rest, body: JSON.stringify(body) },
        ][nth % 3] as Sent;
      };
    case "feed":
      return (connection, _, { cursor }) =>
        connection % 2 === 0
          ? { path: "/rest/v1/me/changes?limit=100&include=detail", headers: rest }
          : {
              path: `/rest/v1/me/changes?limit=100&wait=1${cursor ? `&cursor=${cursor}` : ""}`,
              headers: rest,
            };
    case "mcp":
      return (connection, nth) =>
        [
          callTool("search_meetings", { query }),
          callTool("ask", { question: query }),
          callTool("get_transcript", { meetingId: meetingIds[connection] }),
        ][(connection + nth) % 3] as Sent;
  }
}

/** Takes what the next call of a connection needs from an answer; only short ones have it. */
function remember(memory: Memory, text: string): void {
  const version = /"version":(\d+)/.exec(text.slice(0, 500))?.[1];
  if (version !== undefined) memory.version = Number(version);
  memory.cursor = /"nextCursor":"([^"]+)"/.exec(text.slice(-500))?.[1] ?? memory.cursor;
}

/** A load. */
export interface Job {
  readonly port: number;
  readonly tenant: Tenant;
  readonly kind: Kind;
  /** Maximum number. */
  readonly requests: number;
  readonly connections: number;
}

async function run({ port, tenant, kind, requests, connections }: Job): Promise<TenantReport> {
  const toCall = createCalls(tenant, kind);
  const statuses: Record<number, number> = {};
  let [sent, longest, stopped] = [0, 0, false];
  process.once("message", () => {
    stopped = true;
  });
  const callInTurn = async (connection: number) => {
    const memory: Memory = { version: 0, cursor: undefined };
    for (let nth = 0; !stopped && sent++ < requests; nth++) {
      const started = performance.now();
      const { status, text } = await sendOne(port, toCall(connection, nth, memory));
      longest = Math.max(longest, performance.now() - started);
      statuses[status] = (statuses[status] ?? 0) + 1;
      if (status === 200) remember(memory, text);
      else if (status !== 503) throw new Error(`${kind} ${status}: ${text.slice(0, 300)}`);
    }
  };
  process.send?.("started");
  await Promise.all(Array.from({ length: connections }, (_, connection) => callInTurn(connection)));
  return { statuses, longest };
}

if (process.send) process.once("message", async (job: Job) => process.send?.(await run(job)));
