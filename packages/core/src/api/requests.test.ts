import { startTestServer, type TestServer } from "@minutes/server/testing";
import { type CallOptions, type Person, send } from "@minutes/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

let server: TestServer;
let anna: Person;
let taskId: string;
beforeAll(async () => {
  server = await startTestServer();
  anna = await server.given.person();
  taskId = (await server.given.meeting(anna, { tasks: [{ text: "Old" }] })).taskIds[0] ?? "";
});
afterAll(() => server.close());

const ask = (path: string, options: CallOptions & { body?: string | Uint8Array } = {}) =>
  send(server.url, path, { ...options, headers: { "x-api-key": anna.key, ...options.headers } });
const post = (body: string | Uint8Array, headers: Record<string, string> = {}) =>
  ask("/v1/me/tasks.update", {
    method: "POST",
    body,
    headers: { "content-type": "application/json", ...headers },
  });
const update = (fields: object = { completed: true }) => JSON.stringify({ json: { taskId, ...fields } });

describe("bodies", () => {
  test("200: ten thousand characters fit, however they are escaped", async () => {
    const escaped = "\\ud83e\\udd80".repeat(10_000);
    const answer = await post(`{"json":{"taskId":"${taskId}","text":"${escaped}"}}`);
    expect(answer.status).toBe(200);
    expect(answer.text).toContain("🦀".repeat(10_000));
  });

  test("400: bytes that are not UTF-8 are never decoded as something else", async () => {
    const broken = Buffer.concat([
      Buffer.from(`{"json":{"taskId":"${taskId}","text":"a`),
      Buffer.from([0xff]),
      Buffer.from('"}}'),
    ]);
    const answer = await post(broken);
    expect([answer.status, answer.body]).toEqual([400, { error: "The body is not valid UTF-8." }]);
    const query = await ask("/v1/me/meetings.list?input=%7B%22json%22:%7B%22tag%22:%22%ff%22%7D%7D");
    expect([query.status, query.body]).toEqual([400, { error: "input is not valid percent-encoding." }]);
  });

  test("413: one byte over 256 KiB, with or without a length", async () => {
    const limit = 256 * 1024;
    const filled = (size: number) => update().padEnd(size, " ");
    expect((await post(filled(limit))).status).toBe(200);
    const over = await post(filled(limit + 1));
    expect([over.status, over.body]).toEqual([413, { error: "The request body exceeds 256 KiB." }]);
    const chunked = await post(filled(limit + 1), { "transfer-encoding": "chunked" });
    expect([chunked.status, chunked.body]).toEqual([413, { error: "The request body exceeds 256 KiB." }]);
    expect((await post(filled(limit), { "transfer-encoding": "chunked" })).status).toBe(200);
  });

  test("413: a body of 20 MiB is refused without being stored, and the server continues", async () => {
    const answer = await post(Buffer.alloc(20 * 1024 * 1024, 32)).catch(() => null);
    if (answer) expect(answer.status).toBe(413);
    expect((await post(update())).status).toBe(200);
  });

  test.each([
    "application/json",
    "application/json; charset=utf-8",
    "Application/JSON;charset=UTF-8",
    'application/json; charset="utf-8"',
  ])("200: Content-Type %s", async (type) => {
    expect((await post(update(), { "content-type": type })).status).toBe(200);
  });

  test.each([
    "text/plain",
    "multipart/form-data; boundary=x",
    "application/x-www-form-urlencoded",
    "application/json; charset=latin1",
    "application/json5",
    "application/trpc+json",
    "application/octet-stream",
    "audio/mpeg",
    "",
  ])("415: Content-Type %j", async (type) => {
    const answer = await post(update(), { "content-type": type });
    expect([answer.status, answer.body]).toEqual([
      415,
      { error: "Send the body as Content-Type: application/json." },
    ]);
  });

  test("415: no Content-Type, or a compressed body", async () => {
    const without = await ask("/v1/me/tasks.update", { method: "POST", body: update() });
    expect(without.status).toBe(415);
    expect((await post(update(), { "content-encoding": "gzip" })).status).toBe(415);
  });

  test("400: input of a write in the query", async () => {
    const input = encodeURIComponent(update());
    for (const body of ["", update()]) {
      const answer = await ask(`/v1/me/tasks.update?input=${input}`, {
        method: "POST",
        body,
        headers: { "content-type": "application/json" },
      });
      expect([answer.status, answer.body]).toEqual([
        400,
        { error: "This procedure takes its input in the body." },
      ]);
    }
  });
});

describe("batching is off", () => {
  test.each([
    "?batch=1",
    "?batch=",
    "?batch",
    "?batch=1&input=%7B%7D",
    "?input=%7B%22json%22%3A%7B%7D%7D&batch=1",
  ])("400: %s", async (query) => {
    const answer = await ask(`/v1/me/tags.list${query}`);
    expect([answer.status, answer.body]).toEqual([
      400,
      { error: "Batching is not supported. Send one call per request." },
    ]);
  });

  test("400: several procedures in the path, as the stock client's default link sends them; the answer names the right link", async () => {
    for (const path of ["tags.list,tasks.list", "tags.list%2Ctasks.list", "tags.list,nothing", ","])
      for (const query of ["?batch=1&input=%7B%7D", "?batch=1"])
        for (const method of ["GET", "POST"] as const) {
          const answer = await ask(`/v1/me/${path}${query}`, { method });
          expect([answer.status, answer.body]).toEqual([
            400,
            { error: "Batching is not supported: use httpLink instead of httpBatchLink." },
          ]);
        }
    expect((await ask("/v1/me/tags.list,tasks.list")).status).toBe(404);
  });
});

describe("paths", () => {
  test.each([
    "/v1/me",
    "/v1/me/",
    "/v1/me/tags",
    "/v1/me/tags/list",
    "/v1/me/tags.list/",
    "/v1/me/tags.list.",
    "/v1/me//tags.list",
    "/v1/me/Tags.list",
    "/v1/me/tags%2elist%00",
    "/v1/me/../me/tags.list",
    "/v1/me/__proto__",
    "/v1/me/constructor",
    "/v1/me/toString",
    "/v2/me/tags.list",
    "/v1/tags.list",
    "/v1",
    "/me/tags.list",
    "/v1/admin/tags.list",
    "/favicon.ico",
  ])("404: %s", async (path) => {
    const answer = await ask(path);
    expect(answer.status).toBe(404);
    expect(answer.body).toEqual({ error: expect.any(String) });
    expect(answer.headers["content-type"]).toBe("application/json; charset=utf-8");
  });

  test.each(["/v1/me/%", "/v1/me/%zz", "/v1/me/tags.list%ff", "/v1/me/%c0%80"])("400: %s", async (path) => {
    const answer = await ask(path);
    expect([answer.status, answer.body]).toEqual([
      400,
      { error: "The request path is not valid percent-encoding." },
    ]);
  });

  test.each([
    "?input=%",
    "?input=%ff",
    "?%ff=1",
    "?input=%u0041",
    "?x=1",
    "?limit=5",
    "?input[json]={}",
    "?=1",
  ])("400: the query %s", async (query) => {
    const answer = await ask(`/v1/me/meetings.list${query}`);
    expect([answer.status, Object.keys(answer.body as object)]).toEqual([400, ["error"]]);
  });

  test("200: an empty query, and percent-encoding where none is needed", async () => {
    expect((await ask("/v1/me/tags.list?")).status).toBe(200);
    expect((await ask("/v1/me/tags%2Elist")).status).toBe(200);
    expect((await ask("/v1/me/meetings.list?%69nput=%7b%22json%22:%7b%7d%7d")).status).toBe(200);
    expect((await ask("/v1/me/meetings.list?input=%7B%22json%22:+%7B%7D%7D")).status).toBe(200);
  });
});

test.each(["PUT", "PATCH", "DELETE", "OPTIONS", "HEAD", "PROPFIND"])("405: %s", async (method) => {
  for (const route of ["tags.list", "tasks.update"]) {
    const answer = await ask(`/v1/me/${route}`, { method });
    expect(answer.status).toBe(405);
    if (method !== "HEAD") expect(answer.body).toEqual({ error: expect.any(String) });
  }
});

describe("GET /health", () => {
  test("200: without a key", async () => {
    const answer = await send(server.url, "/health");
    expect([answer.status, answer.body]).toEqual([200, { status: "ok" }]);
  });

  test("200: /ready queries the database", async () => {
    const answer = await send(server.url, "/ready");
    expect([answer.status, answer.body]).toEqual([200, { status: "ready" }]);
  });

  test("503: /ready of a stopping server; /health still answers", async () => {
    const stopping = await startTestServer({ database: server.database, accepting: () => false });
    const answer = await send(stopping.url, "/ready");
    expect([answer.status, answer.body]).toEqual([503, { status: "unavailable" }]);
    expect((await send(stopping.url, "/health")).status).toBe(200);
    await stopping.close();
  });
});

describe("other origins", () => {
  const origin = "https://app.example.com";

  test("are refused unless configured", async () => {
    const answer = await ask("/v1/me/tags.list", { headers: { origin } });
    expect(answer.headers["access-control-allow-origin"]).toBeUndefined();
  });

  test("200: a configured origin can call with a key and read the rate headers; others can't", async () => {
    const open = await startTestServer({ database: server.database, corsOrigins: [origin] });
    const options = { headers: { origin, "x-api-key": anna.key } };
    const answer = await send(open.url, "/v1/me/tags.list", options);
    expect([answer.status, answer.headers["access-control-allow-origin"]]).toEqual([200, origin]);
    expect(answer.headers["access-control-expose-headers"]).toContain("X-RateLimit-Remaining");
    const preflight = await send(open.url, "/v1/me/tags.list", {
      method: "OPTIONS",
      headers: {
        origin,
        "access-control-request-method": "GET",
        "access-control-request-headers": "x-api-key",
      },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers["access-control-allow-headers"]).toContain("x-api-key");
    const evil = await send(open.url, "/v1/me/tags.list", {
      headers: { origin: "https://evil.example", "x-api-key": anna.key },
    });
    expect(evil.headers["access-control-allow-origin"]).not.toBe("https://evil.example");
    await open.close();
  });
});

test("headers of every answer: no caching, no sniffing, no server name", async () => {
  for (const path of ["/v1/me/tags.list", "/v1/me/nothing", "/nowhere", "/health"]) {
    const { headers } = await ask(path);
    expect(headers).toMatchObject({ "cache-control": "no-store", "x-content-type-options": "nosniff" });
    expect(headers["x-powered-by"]).toBeUndefined();
    expect(headers.etag).toBeUndefined();
  }
});
