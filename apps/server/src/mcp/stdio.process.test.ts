import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { needs, type Person } from "@minutes/testing";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { startTestServer, type TestServer } from "../testing/index.js";
import { runHere } from "../testing/installation.js";
import { temporaryDir } from "../testing/process.js";

const REPOSITORY = fileURLToPath(new URL("../../../../", import.meta.url));

interface Config {
  readonly mcpServers: { minutes: { command: string; args: string[]; env: Record<string, string> } };
}

/** Reads the documented configuration for assistants that start a program. */
async function documentedConfig(): Promise<Config> {
  const page = await readFile(join(REPOSITORY, "docs/assistants.md"), "utf8");
  const block = /## Over stdio[\s\S]*?```json\n([\s\S]*?)```/.exec(page)?.[1] ?? "";
  return JSON.parse(block.replace("/path/to/this/repository/", REPOSITORY));
}

let server: TestServer;
let anna: Person;
beforeAll(async () => {
  server = await startTestServer();
  anna = await server.given.person();
  await server.given.meeting(anna, { title: "Weekly" });
});
afterAll(() => server.close());

/** Runs the SDK's own client with the documented command, in another folder, as assistants do. */
async function assistant(url: string, key: string, config?: Config): Promise<Client> {
  const client = new Client({ name: "test", version: "1" });
  onTestFinished(() => client.close());
  const { command, args } = (config ?? (await documentedConfig())).mcpServers.minutes;
  const transport = new StdioClientTransport({
    command,
    args: args.map((argument) => (argument.startsWith("http:") ? url : argument)),
    // Desktop programs don't get a shell's PATH; the printed configuration doesn't need it.
    env: { ...(config ? {} : { PATH: dirname(process.execPath) }), MINUTES_API_KEY: key },
    cwd: tmpdir(),
  });
  await client.connect(transport as never);
  return client;
}

// The command is independent of the engine.
describe("minutes mcp", needs("embedded"), () => {
  test("the SDK's own client lists tools and calls one, as over HTTP", async () => {
    const client = await assistant(server.url, anna.key);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain("delete_meeting");
    const { content } = await client.callTool({ name: "list_meetings", arguments: { limit: 1 } });
    const [{ text } = { text: "" }] = content as { text: string }[];
    expect(JSON.parse(text)).toEqual(await server.data(anna.key, "me/meetings.list", { limit: 1 }));
  });

  test("--print-config prints the documented configuration with paths that need no PATH", async () => {
    const { stdout } = await runHere(["mcp", "--print-config"], { DATA_DIR: await temporaryDir() });
    const printed = JSON.parse(stdout) as Config;
    const { minutes: documented } = (await documentedConfig()).mcpServers;
    expect(printed).toEqual({ mcpServers: { minutes: { ...documented, command: process.execPath } } });
    const client = await assistant(server.url, anna.key, printed);
    expect((await client.listTools()).tools.length).toBeGreaterThan(0);
  });

  test("401: an invalid key is reported with the service's own sentence", async () => {
    await expect(assistant(server.url, "jk_wrong")).rejects.toThrow("Invalid API key");
  });

  test("a server that does not answer is reported", async () => {
    await expect(assistant("http://127.0.0.1:2", anna.key)).rejects.toThrow(
      "The service at http://127.0.0.1:2 can't be reached (ECONNREFUSED). Check --url, and that it is running.",
    );
  });

  test("an address keeps its own path, and loses that of the endpoint", async () => {
    const proxy = createServer((request, response) => {
      const isPage = request.url?.startsWith("/page/");
      response.writeHead(404).end(isPage ? "<p>Lost</p>" : JSON.stringify({ error: `No ${request.url}.` }));
    });
    await once(proxy.listen(0, "127.0.0.1"), "listening");
    onTestFinished(() => void proxy.close());
    const { port } = proxy.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}`;
    for (const path of ["/meetings/", "/meetings/mcp", "/meetings/mcp/key/"])
      await expect(assistant(url + path, anna.key), path).rejects.toThrow("No /meetings/mcp.");
    await expect(assistant(`${url}/page`, anna.key)).rejects.toThrow(
      `The service at ${url}/page answered with 404. Check --url, and that it is running.`,
    );
  });

  test.each(["127.0.0.1:3000", "localhost:3000", "nonsense"])(
    "exit code 2: --url %s is no address",
    async (url) => {
      const { code, stderr } = await runHere(["mcp", "--url", url], { MINUTES_API_KEY: "jk_x" });
      expect({ code, stderr }).toEqual({
        code: 2,
        stderr: "--url must be the server's URL, such as http://127.0.0.1:3000.\n",
      });
    },
  );

  test.each(["", "jk_…"])("exit code 2: MINUTES_API_KEY is %j", async (key) => {
    const { code, stderr } = await runHere(["mcp"], { MINUTES_API_KEY: key });
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: "Set MINUTES_API_KEY to the assistant's key.\n",
    });
  });
});
