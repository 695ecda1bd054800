import type { Connection } from "@minutes/db";
import { type Answer, send, sendRaw } from "@minutes/testing";
import { startTestServer, type TestServer } from "../index.js";

/** A request as sent to the socket. */
export interface RecordedRequest {
  /** The server to call. */
  readonly server: ServerName;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The body is in base64, because it is not UTF-8. */
  readonly base64?: true;
  /** Raw bytes to write to the socket instead of a request built from these fields. */
  readonly raw?: string;
}

/** A request and its answer. */
export interface Exchange {
  readonly request: RecordedRequest;
  readonly status: number;
  /** All headers of the answer, except those set by every HTTP server. Variable values are masked. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** The servers to call, by their difference from the default configuration. */
const SERVERS = {
  open: {},
  "quota used up": { rateLimit: 0 },
  "other origins allowed": { corsOrigins: ["https://app.example.com"] },
};
type ServerName = keyof typeof SERVERS;

/** Starts all servers on one connection, which the caller closes. */
export async function startServers(connection: Connection) {
  const database = {
    ...{ connection, db: connection.db, url: null },
    connect: async () => connection,
    close: async () => {},
  };
  const servers = new Map<ServerName, TestServer>();
  for (const [name, options] of Object.entries(SERVERS)) {
    // Failed authentications are counted by address, so each request has its own.
    const server = await startTestServer({ connection, database, trustProxy: 1, ...options });
    servers.set(name as ServerName, server);
  }
  return {
    ask: async (request: RecordedRequest): Promise<Exchange> => {
      const { url } = servers.get(request.server) as TestServer;
      return toExchange(request, await sendRequest(url, request));
    },
    close: async () => {
      for (const server of servers.values()) await server.close();
    },
  };
}

/** Timeout in ms for an answer to malformed bytes. */
const PATIENCE = 60_000;

function sendRequest(url: string, request: RecordedRequest): Promise<Answer> {
  const { method, path, headers, body, raw } = request;
  if (raw !== undefined) return sendRaw(url, raw, { patience: PATIENCE });
  const bytes = body === undefined ? {} : { body: Buffer.from(body, request.base64 ? "base64" : "utf8") };
  return send(url, path, { method, headers, ...bytes });
}

/** Set by HTTP itself. */
const OF_HTTP = ["connection", "date", "keep-alive", "transfer-encoding"];

/** Values that differ from call to call. */
const MASKS: Record<string, RegExp> = {
  "retry-after": /^\d+$/,
  "x-ratelimit-reset": /^\d+$/,
  "x-ratelimit-remaining": /^\d{9}$/,
  "x-request-id": /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
};

function toExchange(request: RecordedRequest, { status, headers, text }: Answer): Exchange {
  const kept = Object.entries(headers)
    .filter(([name]) => !OF_HTTP.includes(name))
    .map(([name, value]) => [name, String(value).replace(MASKS[name] ?? /^$/, "…")] as const)
    .toSorted(([one], [other]) => (one < other ? -1 : 1));
  return { request, status, headers: Object.fromEntries(kept), text };
}
