import http from "node:http";
import net from "node:net";
import { isWrite } from "./procedures.js";

/** An answer as received. */
export interface Answer {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly text: string;
  /** The text parsed as JSON; undefined if it is not JSON. */
  readonly body: unknown;
}

export interface CallOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const agent = new http.Agent({ keepAlive: true, maxSockets: 64 });

/** Sends one request exactly as given, without normalizing the path. */
export function send(
  url: string,
  path: string,
  options: CallOptions & { body?: string | Uint8Array } = {},
): Promise<Answer> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const { method = "GET", headers = {}, body } = options;
    const unsized = body === undefined || "transfer-encoding" in headers;
    const length = unsized ? {} : { "content-length": String(Buffer.byteLength(body)) };
    const request = http.request(
      { agent, hostname, port, path, method, headers: { ...length, ...headers } },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () => {
          const text = Buffer.concat(chunks).toString("utf8");
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text, body: json(text) });
        });
      },
    );
    request.on("error", reject);
    request.on("socket", (socket) => {
      if (!socket.listeners("error").includes(ignore)) socket.on("error", ignore);
    });
    request.end(body);
  });
}

/** Ignores the error of a connection that ended after the answer, while the rest of a refused body was being sent. */
const ignore = (): void => {};

/** Returns `/v1/me/…`, `/sync/v1/me/…`, `/ingest/v1/…` or `/settings/v1/…` */
const toPath = (route: string): string =>
  /^(sync|ingest|settings)\//.test(route) ? `/${route.replace("/", "/v1/")}` : `/v1/${route}`;

/** Sends a client's request for `me/meetings.list` with this text as its input. */
export function sendInput(
  url: string,
  key: string | null,
  route: string,
  input: string | Uint8Array | undefined,
  options: CallOptions = {},
): Promise<Answer> {
  const write = isWrite(route);
  const method = options.method ?? (write ? "POST" : "GET");
  const query = write || input === undefined ? "" : `?input=${escapeInput(input)}`;
  const headers = {
    ...(key === null
      ? {}
      : route.startsWith("settings/")
        ? { authorization: `Bearer ${key}` }
        : { "x-api-key": key }),
    ...(write ? { "content-type": "application/json" } : {}),
    ...options.headers,
  };
  return send(url, `${toPath(route)}${query}`, {
    method,
    headers,
    ...(write && input !== undefined ? { body: input } : {}),
  });
}

/** Percent-encodes every special byte, well-formed or not. */
const escapeInput = (input: string | Uint8Array): string =>
  Buffer.from(input as string)
    .toString("latin1")
    .replace(
      /[^A-Za-z0-9_.~-]/g,
      (byte) => `%${byte.charCodeAt(0).toString(16).padStart(2, "0").toUpperCase()}`,
    );

/** Returns the payload of an answer, `result.data.json`; undefined for a refusal. */
export const findPayload = <Payload>({ body }: Pick<Answer, "body">): Payload | undefined =>
  (body as { result?: { data?: { json?: Payload } } } | undefined)?.result?.data?.json;

/**
 * Returns the payload of a successful answer.
 * @throws Error unless the answer is `{"result":{"data":{"json":…}}}` with status 200
 */
export function readPayload<Payload>(answer: Pick<Answer, "status" | "body">): Payload {
  const payload = findPayload<Payload>(answer);
  if (answer.status !== 200 || payload === undefined)
    throw new Error(`Answered ${answer.status}: ${JSON.stringify(answer.body)}`);
  return payload;
}

/** Calls a procedure as specified: `call(url, key, "me/meetings.list", { limit: 5 })`. */
export const call = (
  url: string,
  key: string | null,
  route: string,
  input?: object,
  options: CallOptions = {},
): Promise<Answer> =>
  sendInput(url, key, route, input === undefined ? undefined : JSON.stringify({ json: input }), options);

/** Writes bytes to a socket, malformed or not, in one or more parts, and reads until the server ends. */
export function sendRaw(
  url: string,
  bytes: string | Uint8Array | readonly string[],
  { pause = 0, patience = 60_000 } = {},
): Promise<Answer> {
  const { hostname, port } = new URL(url);
  const parts = Array.isArray(bytes) ? bytes : [bytes];
  return new Promise((resolve, reject) => {
    const socket = net.connect(Number(port), hostname, async () => {
      for (const part of parts) {
        if (socket.writable) socket.write(part);
        if (pause > 0) await new Promise((done) => setTimeout(done, pause));
      }
    });
    const chunks: Buffer[] = [];
    const finish = () => {
      socket.destroy();
      resolve(parseAnswer(Buffer.concat(chunks).toString("utf8")));
    };
    socket.on("data", (chunk) => {
      chunks.push(chunk);
      const { text, headers, status } = parseAnswer(Buffer.concat(chunks).toString("utf8"));
      if (status >= 200 && Buffer.byteLength(text) >= Number(headers["content-length"] ?? Infinity)) finish();
    });
    socket.on("end", finish);
    socket.on("error", (error) => (chunks.length > 0 ? finish() : reject(error)));
    socket.setTimeout(patience, finish);
  });
}

/** Parses the last answer received on a socket, ignoring `100 Continue`. Status 0 if there is none. */
function parseAnswer(raw: string): Answer {
  const start = raw.startsWith("HTTP/1.1 100") ? raw.indexOf("HTTP/1.1 ", 9) : 0;
  const end = raw.indexOf("\r\n\r\n", Math.max(start, 0));
  if (start < 0 || end < 0) return { status: 0, headers: {}, text: raw, body: undefined };
  const [statusLine = "", ...lines] = raw.slice(start, end).split("\r\n");
  const headers = Object.fromEntries(
    lines.map((line) => [
      line.slice(0, line.indexOf(":")).toLowerCase(),
      line.slice(line.indexOf(":") + 1).trim(),
    ]),
  );
  const text = raw.slice(end + 4);
  return { status: Number(statusLine.split(" ")[1] ?? 0), headers, text, body: json(text) };
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
