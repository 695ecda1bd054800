import type { Company, Meeting, Person } from "@minutes/testing";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterAll, beforeAll, onTestFinished } from "vitest";
import { startTestServer, type TestServer } from "./server.js";

/** A server with a company, one of its members, and their meeting of yesterday. */
interface AssistantScene {
  readonly server: TestServer;
  readonly company: Company;
  readonly anna: Person;
  readonly meeting: Meeting;
}

/** Starts a server before a file's tests, and closes it after them. `begin` gets what the tests use. */
export function useAssistantScene(begin: (scene: AssistantScene) => void): void {
  let server: TestServer | undefined;
  beforeAll(async () => {
    server = await startTestServer();
    const company = await server.given.company();
    const anna = await server.given.member(company);
    const meeting = await server.given.richMeeting(anna, {
      startTime: new Date(Date.now() - 86_400_000).toISOString(),
      endTime: undefined,
    });
    begin({ server, company, anna, meeting });
  });
  afterAll(() => server?.close());
}

/** Connects the SDK's own client, as an assistant uses it, until the test ends. */
export async function connectAssistant(
  url: string,
  headers: Record<string, string>,
  path = "/mcp",
): Promise<Client> {
  const client = new Client({ name: "test", version: "1" });
  const transport = new StreamableHTTPClientTransport(new URL(path, url), { requestInit: { headers } });
  await client.connect(transport as never);
  onTestFinished(() => client.close());
  return client;
}

/** Returns the text of a tool's result. */
export const readText = (result: unknown): string =>
  (result as { content: { text: string }[] }).content[0]?.text ?? "";

/** Calls a tool; returns its payload, or the sentence with which it refused. */
export async function useTool(client: Client, name: string, args: Record<string, unknown> = {}) {
  const result = await client.callTool({ name, arguments: args });
  return result.isError ? { refused: readText(result) } : JSON.parse(readText(result));
}
