import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";

/** JSON-RPC's code for a fault of the server. */
const INTERNAL_ERROR = -32603;

/**
 * Passes an assistant's messages from stdin to a running server's `/mcp` and its answers to stdout, until stdin ends.
 * So the same code answers, whichever way an assistant comes, and the embedded database keeps its one owner.
 */
export async function bridge(url: string, key: string): Promise<void> {
  const [{ StreamableHTTPClientTransport }, { StdioServerTransport }] = await Promise.all([
    import("@modelcontextprotocol/sdk/client/streamableHttp.js"),
    import("@modelcontextprotocol/sdk/server/stdio.js"),
  ]);
  const assistant = new StdioServerTransport();
  const service = new StreamableHTTPClientTransport(new URL("/mcp", url), {
    requestInit: { headers: { "x-api-key": key } },
  });
  service.onmessage = (message) => void assistant.send(message);
  const pending = new Set<Promise<void>>();
  assistant.onmessage = (message) => {
    const sent = service.send(message).catch((error) => assistant.send(failure(message, error)));
    pending.add(sent);
    void sent.finally(() => pending.delete(sent));
  };
  const ended = new Promise<void>((resolve) => process.stdin.once("end", resolve));
  await service.start();
  await assistant.start();
  await ended;
  await Promise.all(pending);
  await service.close();
  await assistant.close();
}

/** The service's own sentence, where it gave one. */
function failure(message: JSONRPCMessage, error: unknown): JSONRPCMessage {
  const text = error instanceof Error ? error.message : String(error);
  const said = /"error"\s*:\s*"((?:[^"\\]|\\.)*)"/.exec(text)?.[1];
  return {
    jsonrpc: "2.0",
    id: "id" in message ? message.id : 0,
    error: { code: INTERNAL_ERROR, message: said ?? `The service can't be reached: ${text}` },
  } as JSONRPCMessage;
}
