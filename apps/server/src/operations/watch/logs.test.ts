import { EventEmitter } from "node:events";
import { type FinishedStatement, observeStatements, runNamedStatement } from "@minutes/db";
import { sendRaw, waitFor } from "@minutes/testing";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { startTestServer, type TestServer } from "../../testing/index.js";
import { toPrettyLine } from "../log.js";
import { createAnswerObserver } from "./observe-answers.js";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const CANARY = "canary-6f1d";

let server: TestServer;
let key: string;
beforeAll(async () => {
  server = await startTestServer({ accessLog: true, corsOrigins: ["https://app.example.com"] });
  ({ key } = await server.given.person());
});
afterAll(() => server.close());

const ask = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${server.url}${path}`, { headers, redirect: "manual" });
/** Waits for the access log's line of a request. */
const findAccess = (requestId: string) =>
  waitFor(() => {
    const lines = server.log.map((line) => JSON.parse(line) as Record<string, unknown>);
    const found = lines.find((line) => line.msg === "request" && line.requestId === requestId);
    if (!found) throw new Error("not logged yet");
    return found;
  });

describe("X-Request-Id", () => {
  test.each([
    ["/v1/me/meetings.list", 401],
    ["/v1/workspace/meetings.list", 401],
    ["/rest/v1/me/meetings", 401],
    ["/sync/v1/me/changes.list", 401],
    ["/ingest/v1/meetings.import", 401],
    ["/upload/v1/meetings.upload", 404],
    ["/identity/v1/session.get", 404],
    ["/v1/me", 404],
    ["/mcp", 405],
    ["/health", 200],
    ["/openapi.json", 200],
    ["/nothing", 404],
    ["/%E0%A4%A", 404],
  ])("is in the answer of %s", async (path) => {
    const first = await ask(path);
    const second = await ask(path, { "x-request-id": "Root=1-67891233.abc:d" });
    expect(first.headers.get("x-request-id")).toMatch(UUID);
    expect(second.headers.get("x-request-id")).toBe("Root=1-67891233.abc:d");
  });

  test("is in the answer to an unreadable request, and to a preflight", async () => {
    const { headers } = await sendRaw(server.url, "GET / HTTP/9.9\r\n\r\n");
    expect(headers["x-request-id"]).toMatch(UUID);
    const preflight = await fetch(`${server.url}/v1/me/meetings.list`, {
      method: "OPTIONS",
      headers: { origin: "https://app.example.com", "access-control-request-method": "GET" },
    });
    expect([preflight.status, preflight.headers.get("x-request-id")]).toEqual([
      204,
      expect.stringMatching(UUID),
    ]);
  });

  test.each([
    ["longer than 64 characters", "a".repeat(65)],
    ["an e-mail address", "anna@example.com"],
    ["a key", "jk_0123456789"],
    ["with a space", "a b"],
    ["empty", ""],
  ])("is a new one when it came %s", async (_name, id) => {
    const answer = await ask("/health", { "x-request-id": id });
    expect(answer.headers.get("x-request-id")).toMatch(UUID);
  });

  test("is in a call's log line", async () => {
    await server.call(key, "me/meetings.list", {}, { headers: { "x-request-id": "line-1" } });
    const line = server.log.find((text) => text.includes('"call"') && text.includes("line-1"));
    expect(JSON.parse(line ?? "{}")).toMatchObject({ requestId: "line-1", procedure: "meetings.list" });
  });
});

test.each([
  ["https://minutes.example.com", "max-age=31536000"],
  ["http://minutes.example.com", null],
])("PUBLIC_URL %s: Strict-Transport-Security of every answer is %s", async (publicUrl, expected) => {
  const own = await startTestServer({ database: server.database, publicUrl });
  onTestFinished(() => own.close());
  for (const path of ["/", "/docs", "/health", "/unknown", "/v1/me/meetings.list", "/mcp"]) {
    const { headers } = await fetch(`${own.url}${path}`, { headers: { accept: "text/html" } });
    expect([path, headers.get("strict-transport-security")]).toEqual([path, expected]);
  }
});

test("X-Forwarded-For without TRUST_PROXY: the log warns once, and /ready says so", async () => {
  const forwarded = { "x-forwarded-for": "203.0.113.7" };
  for (const path of ["/health", "/v1/me/meetings.list"]) await ask(path, forwarded);
  const lines = server.log.filter((line) => line.includes("TRUST_PROXY"));
  expect(lines.map((line) => JSON.parse(line).level)).toEqual([40]);
  expect(server.log.join()).not.toContain("203.0.113.7");
  expect(await (await ask("/ready")).json()).toMatchObject({ status: "ready", forwardedFor: "ignored" });

  const trusting = await startTestServer({ database: server.database, trustProxy: 1 });
  onTestFinished(() => trusting.close());
  await fetch(`${trusting.url}/health`, { headers: forwarded });
  expect(trusting.log).toEqual([]);
  expect(await (await fetch(`${trusting.url}/ready`)).json()).toEqual({ status: "ready" });
});

describe("the access log", () => {
  test("has route, procedure, status, time and bytes of a call, but no input", async () => {
    const answer = await server.call(
      key,
      "me/meetings.search",
      { query: CANARY },
      { headers: { "x-request-id": "search-1", "user-agent": CANARY } },
    );
    expect(answer.status).toBe(200);
    const line = await findAccess("search-1");
    expect(line).toEqual({
      level: 30,
      time: expect.any(Number),
      requestId: "search-1",
      method: "GET",
      route: "/v1/me/meetings.search",
      status: 200,
      ms: expect.any(Number),
      bytes: expect.any(Number),
      msg: "request",
    });
    expect(line.bytes).toBeGreaterThan(200);
    expect(server.log.join()).not.toContain(CANARY);
    expect(server.log.join()).not.toContain(key);
  });

  test.each([
    ["/docs/viewer.css", "/docs/", 200],
    ["/v1/me/canary-6f1d.list", "/v1/me", 404],
    ["/canary-6f1d?canary-6f1d", "other", 404],
    ["/identity/v1/oidc/canary-6f1d", "/identity/v1/oidc/", 404],
  ])("names the route of %s as %s", async (path, route) => {
    const requestId = `route-${route.replace(/\W/g, "-")}`;
    await ask(path, { "x-api-key": key, "x-request-id": requestId });
    expect(await findAccess(requestId)).toMatchObject({ route });
    expect(server.log.join()).not.toContain(CANARY);
  });

  test("counts a client that disconnects before its answer as 499", () => {
    const statuses: number[] = [];
    const observer = createAnswerObserver([], ({ status }) => statuses.push(status));
    const response = Object.assign(new EventEmitter(), { headersSent: false, statusCode: 200 });
    const request = { headers: {}, socket: { bytesWritten: 0 }, url: "/", method: "GET" };
    observer.wrap(() => {})(request as never, response as never);
    response.emit("close");
    expect(statuses).toEqual([499]);
  });
});

test("a slow statement is logged by its name with its request's id, without its values", async () => {
  const watched = await startTestServer({ database: server.database, watch: { SLOW_STATEMENT_MS: 1 } });
  onTestFinished(() => watched.close());
  const logged = () =>
    watched.log.filter((line) => line.includes("slow statement")).map((line) => JSON.parse(line));
  const sleep = () => sql`select pg_sleep(0.02), ${sql.placeholder("canary")}::text`;
  await runNamedStatement(watched.connection.db, "sleep", sleep, { canary: CANARY });
  expect(logged()[0]).toMatchObject({ statement: "sleep", failed: false });
  await waitFor(async () => {
    const headers = { "x-request-id": "slow-1" };
    await watched.call(key, "me/meetings.search", { query: CANARY }, { headers });
    expect(logged().map(({ requestId }) => requestId)).toContain("slow-1");
  });
  expect(watched.log.join()).not.toContain(CANARY);
});

test("lines for people have the time, level, sentence and fields, on one line each", () => {
  const time = Date.UTC(2026, 0, 2, 3, 4, 5, 67);
  const line = JSON.stringify({
    level: 40,
    time,
    engine: "embedded",
    fault: "Error at\u001b[2J\n x",
    msg: "stopped",
  });
  expect(toPrettyLine(`${line}\n`)).toBe(
    '03:04:05.067 WARN  stopped engine=embedded fault="Error at\\u001b[2J\\n x"\n',
  );
});

test("transactions and failed statements are observed; numbers in names, which clients choose, are omitted", async () => {
  const { db } = await server.database.connect();
  const finished: FinishedStatement[] = [];
  observeStatements(db, (statement) => finished.push(statement));
  await db.transaction((tx) => tx.execute(sql`select 1`));
  await expect(runNamedStatement(db, "broken", () => sql`select broken`, {})).rejects.toThrow();
  await runNamedStatement(db, "changes_me_51_0", () => sql`select 1`, {});
  expect(finished.map(({ name, failed }) => [name, failed])).toEqual([
    ["transaction", false],
    ["broken", true],
    ["changes_me", false],
  ]);
});
