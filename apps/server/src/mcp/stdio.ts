import { PassThrough } from "node:stream";
import { getFaultCode } from "@minutes/db/faults";
import type { JSONRPCMessage, RequestId } from "@modelcontextprotocol/server";

/** JSON-RPC's code of an internal error. */
const INTERNAL_ERROR = -32603;

/**
 * Forwards an assistant's messages from stdin to a running server's `/mcp` and the answers to stdout, until stdin ends.
 * Both transports share the same code, and the embedded database keeps a single owner.
 */
export async function forwardMessages(url: string, key: string): Promise<void> {
  const [{ StreamableHTTPClientTransport }, { StdioServerTransport }] = await Promise.all([
    import("@modelcontextprotocol/client"),
    import("@modelcontextprotocol/server/stdio"),
  ]);
  // The transport drops the answers to come when its input ends, so it doesn't see the end of stdin.
  const assistant = new StdioServerTransport(process.stdin.pipe(new PassThrough(), { end: false }));
  // Behind a proxy, the URL can have a path. Over HTTP, assistants need the address of the endpoint.
  const base = url.replace(/(?<!\/)\/+(?:mcp(?:\/key)?\/?)?$/, "");
  const service = new StreamableHTTPClientTransport(new URL(`${base}/mcp`), {
    requestInit: { headers: { "x-api-key": key } },
  });
  service.onmessage = (message) => void assistant.send(message);
  const pending = new Set<Promise<void>>();
  assistant.onmessage = (message) => {
    const sent = service.send(message).catch(async (error) => {
      // Notifications get no answer, even if they fail.
      if ("id" in message) await assistant.send(toErrorMessage(message.id, url, error));
    });
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

/** Builds an error answer: the service's own message, if there is one, or why there is none. */
function toErrorMessage(id: RequestId | undefined, url: string, error: unknown): JSONRPCMessage {
  const { message: text, status } = error as Error & { readonly status?: number };
  const said = /"error"\s*:\s*"((?:[^"\\]|\\.)*)"/.exec(text)?.[1];
  const what = status ? `answered with ${status}` : `can't be reached (${getFaultCode(error) ?? text})`;
  return {
    jsonrpc: "2.0",
    id,
    error: {
      code: INTERNAL_ERROR,
      message: said ?? `The service at ${url} ${what}. Check --url, and that it is running.`,
    },
  } as JSONRPCMessage;
}
