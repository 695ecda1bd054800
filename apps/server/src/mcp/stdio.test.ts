import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { needs, type Person, type TestServer, testServer } from "@minutes/testing";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { minutes } from "../testing/process.js";

const MINUTES = fileURLToPath(new URL("../../bin/minutes.js", import.meta.url));

let server: TestServer;
let anna: Person;
beforeAll(async () => {
  server = await testServer();
  anna = await server.given.person();
  await server.given.meeting(anna, { title: "Weekly" });
});
afterAll(() => server.close());

/** The SDK's own client on `minutes mcp`, as an assistant starts it. */
async function assistant(url: string, key: string): Promise<Client> {
  const client = new Client({ name: "test", version: "1" });
  onTestFinished(() => client.close());
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [MINUTES, "mcp", "--url", url],
    env: { PATH: process.env.PATH ?? "", MINUTES_API_KEY: key },
  });
  await client.connect(transport as never);
  return client;
}

// The command knows nothing of engines.
describe("minutes mcp", needs("embedded"), () => {
  test("the SDK's own client lists tools and calls one, as over HTTP", async () => {
    const client = await assistant(server.url, anna.key);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain("delete_meeting");
    const { content } = await client.callTool({ name: "list_meetings", arguments: { limit: 1 } });
    const [{ text } = { text: "" }] = content as { text: string }[];
    expect(JSON.parse(text)).toEqual(await server.data(anna.key, "me/meetings.list", { limit: 1 }));
  });

  test("a key that is not valid is told with the service's own sentence", async () => {
    await expect(assistant(server.url, "jk_wrong")).rejects.toThrow("Invalid API key");
  });

  test("a server that is not there is told, too", async () => {
    await expect(assistant("http://127.0.0.1:1", anna.key)).rejects.toThrow("The service can't be reached");
  });

  test("an address with a path of its own keeps it", async () => {
    const proxy = createServer((request, response) => {
      response.writeHead(404).end(JSON.stringify({ error: `No ${request.url}.` }));
    });
    await once(proxy.listen(0, "127.0.0.1"), "listening");
    onTestFinished(() => void proxy.close());
    const { port } = proxy.address() as AddressInfo;
    const behind = assistant(`http://127.0.0.1:${port}/meetings/`, anna.key);
    await expect(behind).rejects.toThrow("No /meetings/mcp.");
  });

  test.each(["127.0.0.1:3000", "localhost:3000", "nonsense"])("2: --url %s is no address", async (url) => {
    const { code, stderr } = await minutes(["mcp", "--url", url], { MINUTES_API_KEY: "jk_x" });
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: "--url must be the server's address, such as http://127.0.0.1:3000.\n",
    });
  });

  test("2: no key", async () => {
    const { code, stderr } = await minutes(["mcp"], {});
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: "Set MINUTES_API_KEY to the key that the assistant works with.\n",
    });
  });
});
