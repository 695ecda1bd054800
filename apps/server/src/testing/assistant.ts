import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { onTestFinished } from "vitest";

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
