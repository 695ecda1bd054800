import { generateToken } from "@minutes/core";
import type { Random } from "@minutes/testing";
import { BROWSER_PROCEDURES, PROCEDURES, type Procedure } from "@minutes/testing";
import { HOSTILE_VALUES, listHostileInputs, listHugeInputs } from "./inputs.js";

/** A request as sent to the socket. */
export interface HostileRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** One valid credential of each kind. */
export interface Credentials {
  readonly personal: string;
  readonly workspace: string;
  readonly ingest: string;
  readonly session: string;
}

const OTHER_PATHS = [
  "/",
  "/docs",
  "/openapi.json",
  "/health",
  "/ready",
  "/v1",
  "/v1/me/%zz",
  "/identity/v1/oidc/start",
  "/identity/v1/oidc/callback?code=x&state=%00",
  "/nowhere",
  "/V1/me/tags.list",
];
const ALL_PROCEDURES = [...PROCEDURES, ...BROWSER_PROCEDURES];
const SITES = ["same-origin", "same-origin", "same-site", "cross-site", "none", ""];
const METHODS = ["GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS"];
const TYPES = [
  "application/json",
  "text/plain",
  "application/json; charset=utf-16",
  "multipart/form-data",
  "",
];
const TOOLS = ["list_meetings", "get_meeting", "get_transcript", "search_meetings", "update_task", "nothing"];
const MCP_METHODS = ["initialize", "tools/list", "tools/call", "ping", "resources/list", "__proto__", ""];

const INPUTS = listHostileInputs();
const HUGE = listHugeInputs(256 * 1024);
/** One in this many requests has a body of maximum size. */
const HUGE_EVERY = 250;

const percentEncode = (text: string | Uint8Array): string =>
  Buffer.from(text as string)
    .toString("latin1")
    .replace(/[^A-Za-z0-9]/g, (byte) => `%${byte.charCodeAt(0).toString(16).padStart(2, "0")}`);

/** Returns the credential for a path. */
function chooseKey(path: string, keys: Credentials): string {
  if (path.startsWith("/ingest")) return keys.ingest;
  if (path.startsWith("/settings") || path.startsWith("/console")) return keys.session;
  return path.startsWith("/v1/workspace") ? keys.workspace : keys.personal;
}

/** Chooses a credential: usually the right one, otherwise one of another kind, a forged one, junk or none. */
function chooseHeaders(random: Random, keys: Credentials, path: string): Record<string, string> {
  const valid = random.chance(0.8) ? [chooseKey(path, keys)] : Object.values(keys);
  const forged = generateToken(random.pick(["jk_", "ik_", "mst_"] as const));
  const text = random.chance(0.6)
    ? random.pick(valid)
    : random.pick([forged, "jk_wrong", `${forged}x`, "", "\u00ff"]);
  const header: Record<string, string> = random.chance(0.9)
    ? { "x-api-key": text, authorization: `Bearer ${text}` }
    : { [random.pick(["x-api-key", "authorization"])]: text };
  return {
    ...(random.chance(0.05) ? {} : header),
    ...(random.chance(0.3)
      ? { cookie: random.pick([`minutes=${text}`, "minutes", "minutes=;;=", `a=${"x".repeat(2_000)}`]) }
      : {}),
    ...(random.chance(0.7) ? { "sec-fetch-site": random.pick(SITES) } : {}),
    // A different client each, so that limits per address don't stop the storm.
    "x-forwarded-for": `10.${random.int(256)}.${random.int(256)}.1`,
  };
}

/** Chooses a hostile text for a route: a malformed input, or a hostile value in one of its own fields. */
function chooseText(random: Random, route: Procedure, at: number): string | Uint8Array {
  if (route.isWrite && at % HUGE_EVERY === 0) return random.pick(HUGE).text;
  if (route.fields.length === 0 || random.chance(0.4)) return random.pick(INPUTS).text;
  const values = Object.values(HOSTILE_VALUES);
  const fields = route.fields
    .filter(() => random.chance(0.6))
    .map((field) => `${JSON.stringify(field)}:${random.pick(values)}`);
  return `{"json":{${fields.join(",")}}}`;
}

function createMcpRequest(random: Random, headers: Record<string, string>, at: number): HostileRequest {
  const value = random.pick(Object.values(HOSTILE_VALUES));
  const args = random.chance(0.5)
    ? value
    : `{"${random.pick(["meetingId", "query", "limit", "__proto__"])}":${value}}`;
  const call = `{"jsonrpc":"2.0","id":${at},"method":"${random.pick(MCP_METHODS)}","params":{"name":"${random.pick(TOOLS)}","arguments":${args}}}`;
  return {
    method: random.chance(0.95) ? "POST" : random.pick(METHODS),
    path: "/mcp",
    headers: {
      ...headers,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...(random.chance(0.2) ? { origin: "http://evil.example" } : {}),
      ...(random.chance(0.1) ? { host: "evil.example" } : {}),
    },
    body: random.chance(0.8) ? call : random.pick([`[${call},${call}]`, random.pick(INPUTS).text]),
  };
}

/** Generates hostile requests for all routes of the server. The same seed gives the same requests. */
export function* generateHostileRequests(
  random: Random,
  keys: Credentials,
  count: number,
): Generator<HostileRequest, void> {
  for (let at = 1; at <= count; at++) {
    if (random.chance(0.1)) {
      yield createMcpRequest(random, chooseHeaders(random, keys, "/mcp"), at);
      continue;
    }
    if (random.chance(0.05)) {
      const path = random.pick(OTHER_PATHS);
      yield { method: random.pick(METHODS), path, headers: chooseHeaders(random, keys, path) };
      continue;
    }
    const route = random.pick(ALL_PROCEDURES);
    const headers = chooseHeaders(random, keys, route.path);
    const text = chooseText(random, route, at);
    const method = random.chance(0.95) ? (route.isWrite ? "POST" : "GET") : random.pick(METHODS);
    if (method === "GET" || method === "HEAD") {
      // Longer ones are refused by the parser, which has its own tests.
      const input = percentEncode(text);
      yield { method, path: input.length < 12_000 ? `${route.path}?input=${input}` : route.path, headers };
      continue;
    }
    const type = random.chance(0.95) ? TYPES[0] : random.pick(TYPES);
    yield {
      method,
      path: route.path,
      headers: { ...headers, ...(type ? { "content-type": type } : {}) },
      body: text,
    };
  }
}
