import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { needs, type Person } from "@minutes/testing";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Client as EarlierClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as EarlierTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { startTestServer, type TestServer, type ToolAnswer, useEveryTool } from "../testing/index.js";

const NEWEST = "2026-07-28";
const COMMAND = join(dirname(fileURLToPath(import.meta.url)), "../../bin/minutes.js");

type AnyClient = Client | EarlierClient;

let server: TestServer;
let anna: Person;
beforeAll(async () => {
  server = await startTestServer({ summaries: { enabled: true, wake: () => {} } });
  anna = await server.given.person();
});
afterAll(() => server.close());

const newClient = (pin?: string) =>
  new Client({ name: "test", version: "2" }, pin ? { versionNegotiation: { mode: { pin } } } : {});

/** Connects a client of one line of the SDK, with the revision that it then uses. */
const CLIENTS: Readonly<Record<string, () => Promise<AnyClient>>> = {
  "SDK 1.x": async () => {
    const client = new EarlierClient({ name: "test", version: "1" });
    const requestInit = { headers: { "x-api-key": anna.key } };
    await client.connect(new EarlierTransport(new URL("/mcp", server.url), { requestInit }) as never);
    return client;
  },
  "SDK 2.x with initialize": () => connectOverHttp(newClient()),
  [`SDK 2.x with ${NEWEST}`]: () => connectOverHttp(newClient(NEWEST)),
};

async function connectOverHttp(client: Client): Promise<Client> {
  const requestInit = { headers: { "x-api-key": anna.key } };
  await client.connect(new StreamableHTTPClientTransport(new URL("/mcp", server.url), { requestInit }));
  return client;
}

/** Calls every tool with a client; returns the names of those called. */
async function callEveryTool(client: AnyClient): Promise<string[]> {
  const called: string[] = [];
  await useEveryTool(anna, server, async (name, args = {}) => {
    const result = (await client.callTool({ name, arguments: args })) as ToolAnswer;
    expect([name, result.isError, result.content]).toEqual([name, undefined, expect.any(Array)]);
    called.push(name);
    return result.structuredContent;
  });
  return called;
}

describe.each(Object.entries(CLIENTS))("%s", (_, connect) => {
  test("calls every tool, gets prompts and reads a resource", async () => {
    const client = await connect();
    onTestFinished(() => client.close());
    expect(client.getServerVersion()).toMatchObject({ name: "minutes", version: manifest.version });
    expect(client.getInstructions()).toContain("Recorded meetings");
    const { tools } = await client.listTools();
    const called = await callEveryTool(client);
    expect(called.toSorted()).toEqual(tools.map(({ name }) => name).toSorted());
    expect((await client.listPrompts()).prompts).not.toEqual([]);
    const { messages } = await client.getPrompt({ name: "decisions", arguments: { topic: "oil" } });
    expect(JSON.stringify(messages)).toContain("“oil”");
    const { meetingId } = await server.given.meeting(anna, { title: "Grease" });
    const { contents } = await client.readResource({ uri: `minutes://meeting/${meetingId}` });
    expect(JSON.stringify(contents)).toContain("# Grease");
    await expect(client.readResource({ uri: "minutes://meeting/ü" })).rejects.toThrow();
  });
});

describe("requests", () => {
  const post = async (body: object, headers: Record<string, string> = {}) => {
    const answer = await fetch(`${server.url}/mcp`, {
      method: "POST",
      headers: {
        ...{ "content-type": "application/json", accept: "application/json, text/event-stream" },
        ...{ "x-api-key": anna.key, ...headers },
      },
      body: JSON.stringify(body),
    });
    const { result, error } = (await answer.json()) as { result?: ToolAnswer; error?: ToolAnswer };
    return { status: answer.status, type: answer.headers.get("content-type"), result, error };
  };
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": NEWEST,
    "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const call = (method: string, params: object = {}) =>
    post(
      { jsonrpc: "2.0", id: 1, method, params: { ...params, _meta } },
      { "mcp-protocol-version": NEWEST, "mcp-method": method },
    );

  test.each(["2025-03-26", "2025-06-18", "2025-11-25"])(
    "a client that begins with initialize gets %s",
    async (protocolVersion) => {
      const clientInfo = { name: "test", version: "1" };
      const params = { protocolVersion, capabilities: {}, clientInfo };
      const { result, type } = await post({ jsonrpc: "2.0", id: 1, method: "initialize", params });
      expect([result?.protocolVersion, type]).toEqual([protocolVersion, "application/json"]);
      const list = { jsonrpc: "2.0", id: 2, method: "tools/list" };
      const listed = await post(list, { "mcp-protocol-version": protocolVersion });
      expect(listed.result?.tools.length).toBeGreaterThan(0);
    },
  );

  test("a client of the newest revision discovers it, and lists tools that it must not share", async () => {
    const { result } = await call("server/discover");
    expect(result).toMatchObject({
      supportedVersions: [NEWEST],
      capabilities: { tools: {}, resources: {}, prompts: {} },
    });
    const listed = await call("tools/list");
    expect(listed).toMatchObject({
      status: 200,
      type: "application/json",
      result: { cacheScope: "private" },
    });
  });

  test("a stream of changes is refused: no process keeps a connection for one", async () => {
    const { error, result } = await call("subscriptions/listen", {
      notifications: { toolsListChanged: true },
    });
    expect([result, error?.message]).toEqual([undefined, "Subscription limit reached"]);
  });

  test("400: an unknown revision is refused with those that are supported", async () => {
    const method = "tools/list";
    const unknown = { ..._meta, "io.modelcontextprotocol/protocolVersion": "2099-01-01" };
    const { status, error } = await post(
      { jsonrpc: "2.0", id: 1, method, params: { _meta: unknown } },
      { "mcp-protocol-version": "2099-01-01", "mcp-method": method },
    );
    expect([status, error?.data.supported]).toEqual([400, [NEWEST]]);
  });
});

// The command is independent of the engine.
describe("over stdio", needs("embedded"), () => {
  test.each([undefined, NEWEST])("a client of SDK 2.x, revision %s, calls every tool", async (pin) => {
    const client = newClient(pin);
    onTestFinished(() => client.close());
    const env = { MINUTES_API_KEY: anna.key };
    const args = [COMMAND, "mcp", "--url", server.url];
    await client.connect(new StdioClientTransport({ command: process.execPath, args, env }));
    expect(client.getNegotiatedProtocolVersion()).toBe(pin ?? "2025-11-25");
    const { tools } = await client.listTools();
    expect((await callEveryTool(client)).toSorted()).toEqual(tools.map(({ name }) => name).toSorted());
  });
});
