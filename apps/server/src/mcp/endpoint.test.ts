import { once } from "node:events";
import http, { type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { type Person, send } from "@minutes/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connectAssistant, readText as said, useTool as use } from "../testing/assistant.js";
import { startTestServer, type TestServer } from "../testing/index.js";
import { answerRequest, loadSdk } from "./sdk.js";

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

test.each([
  [undefined, 200],
  ["*/*", 200],
  ["application/json", 200],
  ["text/event-stream", 406],
])("Accept: %s is answered with JSON and %i", async (accept, status) => {
  const request = http.request(`${server.url}/mcp`, { method: "POST" });
  request.setHeader("content-type", "application/json");
  request.setHeader("x-api-key", anna.key);
  if (accept !== undefined) request.setHeader("accept", accept);
  request.end(JSON.stringify(list));
  const [response] = (await once(request, "response")) as [IncomingMessage];
  const { error, result } = (await json(response)) as { error?: { message: string }; result?: object };
  expect([response.statusCode, result !== undefined]).toEqual([status, error === undefined]);
  if (status === 406) expect(error?.message).toMatch(/^Not acceptable: answers are application\/json/);
});

test("401: no key, a wrong key", async () => {
  for (const [key, error] of [
    [null, "Missing API key. Use header: x-api-key: <key> or authorization: Bearer <key>"],
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

test("400: a message nested too deeply, wherever; one within the bound is answered", async () => {
  const nests = [(levels: number) => "[".repeat(levels) + "]".repeat(levels)];
  nests.push((levels) => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`);
  const messages = [
    '"method":"tools/call","params":{"name":"list_tags","arguments":{"x":DEEP}}',
    '"method":"tools/call","params":DEEP',
    '"method":"tools/list","params":{"_meta":{"x":DEEP}}',
    '"method":"initialize","params":{"capabilities":{"x":DEEP}}',
    '"result":DEEP',
  ];
  const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  const ask = (body: string) =>
    send(server.url, "/mcp", { method: "POST", headers: { ...headers, "x-api-key": anna.key }, body });
  for (const nest of nests) {
    for (const message of messages) {
      const { status, body } = await ask(`{"jsonrpc":"2.0","id":1,${message.replace("DEEP", nest(5_000))}}`);
      expect([message, status, body]).toEqual([message, 400, { error: "The body is nested too deeply." }]);
    }
    expect((await ask(nest(20_000))).status).toBe(400);
    const shallow = `{"jsonrpc":"2.0","id":1,${messages[0]?.replace("DEEP", nest(50))}}`;
    expect((await ask(shallow)).text).toContain("Unknown argument");
  }
});

test("a fault of the protocol's library is reported as those of the API are", async () => {
  const sdk = await loadSdk();
  const failing = { connect: () => Promise.reject(new TypeError("broken")), close: async () => {} };
  const faults: unknown[] = [];
  const front = http.createServer((request, response) => {
    void answerRequest(sdk, failing as never, request, response, list, (fault) => faults.push(fault));
  });
  await new Promise<void>((resolve) => front.listen(0, "127.0.0.1", resolve));
  const { port } = front.address() as AddressInfo;
  expect((await post(anna.key, list, `http://127.0.0.1:${port}`)).status).toBe(500);
  expect(faults).toEqual([new TypeError("broken")]);
  front.close();
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

  test("403: a Host that is no plain name or address with a port", async () => {
    for (const host of [
      ...["a@127.0.0.1", "127.0.0.1/evil", "127.0.0.1?x", "127.0.0.1#x", "localhost\\evil", "127.0.0.1 x"],
      ...["0x7f.1", "127.0.0.1:99999", "127.0.0.1:", "xn--a.localhost", "[::1", "127.0.0.1,evil.example"],
    ])
      expect([host, (await ask({ host })).status]).toEqual([host, 403]);
  });

  test("200: a target with an origin of its own, as proxies send it", async () => {
    const answer = await send(server.url, "http://minutes.example/mcp", {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "x-api-key": anna.key,
      },
      body: JSON.stringify(list),
    });
    expect(answer.status).toBe(200);
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
    expect((await ask({ host: `${host}:443` }, open.url)).status).toBe(200);
    expect((await ask({ host: `${host}:80` }, open.url)).status).toBe(403);
    for (const origin of ["https://evil.example", "http://minutes.example", "https://minutes.example:80"])
      expect([origin, (await ask({ host, origin }, open.url)).status]).toEqual([origin, 403]);
    expect((await ask({ host: "127.0.0.1", origin: "http://127.0.0.1" }, open.url)).status).toBe(403);
    await open.close();
  });
});

test("403: the tool reports a plan without API access", async () => {
  const free = await server.given.person({ plan: "free" });
  const answer = (await (await post(free.key, tags)).json()) as { result: unknown };
  expect(said(answer.result)).toBe("API access requires a Pro, Team or Enterprise plan.");
});
