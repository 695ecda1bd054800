import { isWrite, readPayload } from "@minutes/testing";
import type { RecordedKeys } from "./data.js";
import type { Exchange, RecordedRequest } from "./exchange.js";

/** Sends a request unchanged, from its own address. */
export type SendOne = (request: Partial<RecordedRequest>) => Promise<Exchange>;
/** Sends a text as the input of a procedure. The holder selects a key; null sends none. */
export type SendText = (
  holder: string | null,
  route: string,
  text: string | Uint8Array | undefined,
  options?: Partial<RecordedRequest>,
) => Promise<Exchange>;
/** Calls a procedure with these parameters. */
export type Call = (
  holder: string | null,
  route: string,
  input?: object,
  options?: Partial<RecordedRequest>,
) => Promise<Exchange>;
/** Follows the cursors of a list to its end. */
export type Walk = (holder: string, route: string, input: object) => Promise<void>;

/** Returns the path of a route such as `me/meetings.list`. */
export const getPath = (route: string) => `/v1/${route}`;
export const JSON_TYPE = { "content-type": "application/json" };

/** Creates the functions that make calls. */
export function createCalls(ask: (request: RecordedRequest) => Promise<Exchange>, keys: RecordedKeys) {
  let asked = 0;
  const sendOne: SendOne = (request) => {
    const address = `10.0.${asked >> 8}.${asked++ & 255}`;
    const headers = request.raw === undefined ? { "x-forwarded-for": address, ...request.headers } : {};
    return ask({ server: "open", method: "GET", path: "/", ...request, headers });
  };
  const sendText: SendText = (holder, route, text, options = {}) => {
    const write = isWrite(route);
    const bytes = text === undefined ? undefined : Buffer.from(text as string);
    const isText = bytes === undefined || bytes.equals(Buffer.from(bytes.toString("utf8")));
    const query = write || !bytes ? "" : `?input=${percentEncode(bytes)}`;
    const key = holder === null ? {} : { "x-api-key": keys[holder] ?? holder };
    return sendOne({
      method: write ? "POST" : "GET",
      path: `${getPath(route)}${query}`,
      ...options,
      headers: { ...key, ...(write ? JSON_TYPE : {}), ...options.headers },
      ...(write && bytes ? { body: bytes.toString(isText ? "utf8" : "base64") } : {}),
      ...(write && !isText ? { base64: true as const } : {}),
    });
  };
  const call: Call = (holder, route, input, options) =>
    sendText(holder, route, input === undefined ? undefined : JSON.stringify({ json: input }), options);
  const walk: Walk = async (holder, route, input) => {
    let cursor: string | null | undefined;
    do {
      const { status, text } = await call(holder, route, { ...input, ...(cursor ? { cursor } : {}) });
      cursor = readPayload<{ nextCursor: string | null }>({ status, body: JSON.parse(text) }).nextCursor;
    } while (cursor !== null);
  };

  return { sendOne, sendText, call, walk };
}

const percentEncode = (bytes: Uint8Array): string =>
  Buffer.from(bytes)
    .toString("latin1")
    .replace(
      /[^A-Za-z0-9_.~-]/g,
      (byte) => `%${byte.charCodeAt(0).toString(16).padStart(2, "0").toUpperCase()}`,
    );
