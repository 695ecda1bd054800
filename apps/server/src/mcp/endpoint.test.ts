import { type Person, send } from "@minutes/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connectAssistant, readText as said, useTool as use } from "../testing/assistant.js";
import { startTestServer, type TestServer } from "../testing/index.js";

let server: TestServer;
let anna: Person;
beforeAll(async () => {
  server = await startTestServer();
  anna = await server.given.person();
});
afterAll(() => server.close());

const post = (key: string | null, body: unknown, url = server.url) =>
  fetch(`${url}/mcp`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...(key === null ? {} : { "x-api-key": key }),
    },
    body: JSON.stringify(body),
  });
const list = { jsonrpc: "2.0", id: 1, method: "tools/list" };
const tags = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "list_tags", arguments: {} } };

test("401: no key, a wrong key", async () => {
  for (const [key, error] of [
    [null, "Missing API key. Use header: x-api-key: <key>"],
    ["jk_wrong", "Invalid API key"],
  ] as const) {
    const answer = await post(key, list);
    expect([answer.status, await answer.json()]).toEqual([401, { error }]);
  }
});

test("401: the answer names the scheme, and nothing leads a client to another sign-in", async () => {
  for (const path of ["/mcp", "/mcp/key"]) {
    const answer = await fetch(`${server.url}${path}`, { method: "POST" });
    expect([answer.status, answer.headers.get("www-authenticate")]).toEqual([401, 'Bearer realm="Minutes"']);
  }
  for (const path of [
    "oauth-protected-resource",
    "oauth-protected-resource/mcp/key",
    "oauth-authorization-server",
  ])
    expect((await fetch(`${server.url}/.well-known/${path}`)).status).toBe(404);
});

test("/mcp/key takes a key in both headers, as /mcp does", async () => {
  await server.given.meeting(anna);
  for (const headers of [{ "x-api-key": anna.key }, { authorization: `Bearer ${anna.key}` }]) {
    const client = await connectAssistant(server.url, headers as Record<string, string>, "/mcp/key");
    expect((await use(client, "list_meetings")).meetings).toHaveLength(1);
  }
});

test("405: GET and DELETE, since there are no sessions", async () => {
  for (const method of ["GET", "DELETE"]) {
    const answer = await fetch(`${server.url}/mcp`, { method });
    expect([answer.status, answer.headers.get("allow")]).toEqual([405, "POST"]);
  }
});

test("400: a batch would be many calls counted as one", async () => {
  const answer = await post(anna.key, [tags, tags]);
  expect([answer.status, await answer.json()]).toEqual([
    400,
    { error: "Batching is not supported. Send one call per request." },
  ]);
});

test("429: the quota is the API's, one request is one call, and every method is refused before its body", async () => {
  const limited = await startTestServer({ rateLimit: 3, database: server.database });
  const bert = await server.given.person();
  expect((await limited.call(bert.key, "me/tags.list")).headers["x-ratelimit-remaining"]).toBe("2");
  const answer = await post(bert.key, tags, limited.url);
  expect(answer.headers.get("x-ratelimit-remaining")).toBe("1");
  await post(bert.key, tags, limited.url);
  for (const body of [tags, list, { jsonrpc: "2.0", method: "ping" }, "no protocol"]) {
    const refused = await post(bert.key, body, limited.url);
    expect([refused.status, await refused.json()]).toEqual([
      429,
      { error: expect.stringMatching(/^Rate limit exceeded\. .* That is in \d+ seconds\.$/) },
    ]);
    expect(refused.headers.get("retry-after")).toMatch(/^[1-9]\d*$/);
  }
  await limited.close();
});

test("400: __proto__ among a tool's arguments, as over HTTP", async () => {
  const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_meetings","arguments":{"\\u005f_proto__":{"limit":1}}}}`;
  const headers = { "content-type": "application/json", "x-api-key": anna.key };
  const answer = await fetch(`${server.url}/mcp`, { method: "POST", headers, body });
  expect([answer.status, await answer.json()]).toEqual([400, { error: 'Unknown field: "__proto__".' }]);
});

describe("pages of other sites", () => {
  const ask = (headers: Record<string, string>, url = server.url) =>
    send(url, "/mcp", {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "x-api-key": anna.key,
        ...headers,
      },
      body: JSON.stringify(list),
    });

  test("403: a foreign Origin, and a Host open to DNS rebinding", async () => {
    for (const origin of [
      "http://evil.example",
      "null",
      "https://localhost.evil.example",
      "http://127.0.0.1:1",
    ])
      expect([origin, (await ask({ origin })).status]).toEqual([origin, 403]);
    for (const host of [
      "evil.example",
      "evil.example:3000",
      "localhost.evil.example",
      "127.0.0.1.evil.example",
    ])
      expect([host, (await ask({ host })).status]).toEqual([host, 403]);
    expect((await ask({ host: "evil.example", origin: "http://evil.example" })).status).toBe(403);
  });

  test("200: no Origin, its own Origin, localhost and addresses as Host", async () => {
    expect((await ask({ origin: server.url })).status).toBe(200);
    for (const host of ["localhost:3000", "127.0.0.1", "[::1]:3000", "192.168.1.7:3000"])
      expect([host, (await ask({ host })).status]).toEqual([host, 200]);
  });

  test("200: the Host of PUBLIC_URL, and the origins of CORS_ORIGINS", async () => {
    const open = await startTestServer({
      database: server.database,
      publicUrl: "https://minutes.example/",
      corsOrigins: ["https://app.example"],
    });
    const host = "minutes.example";
    expect((await ask({ host }, open.url)).status).toBe(200);
    expect((await ask({ host, origin: "https://minutes.example" }, open.url)).status).toBe(200);
    expect((await ask({ host, origin: "https://app.example" }, open.url)).status).toBe(200);
    expect((await ask({ host, origin: "https://evil.example" }, open.url)).status).toBe(403);
    await open.close();
  });
});

test("403: the tool reports a plan without API access", async () => {
  const free = await server.given.person({ plan: "free" });
  const answer = (await (await post(free.key, tags)).json()) as { result: unknown };
  expect(said(answer.result)).toBe("API access requires a Pro, Team or Enterprise plan.");
});
