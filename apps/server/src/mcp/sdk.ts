import type { IncomingMessage, ServerResponse } from "node:http";
import type { Server } from "@modelcontextprotocol/server";

/** Loads the protocol's SDK for the first assistant: it takes 0.2 s, which no command or start should wait for. */
async function load() {
  const [server, { toNodeHandler }] = await Promise.all([
    import("@modelcontextprotocol/server"),
    import("@modelcontextprotocol/node"),
  ]);
  return { ...server, toNodeHandler };
}

/** The SDK used to answer an assistant. */
export type Sdk = Awaited<ReturnType<typeof load>>;

let loaded: Promise<Sdk> | undefined;

/** Loads the SDK once. */
export const loadSdk = (): Promise<Sdk> => {
  loaded ??= load();
  return loaded;
};

/** `Accept` of clients that follow the protocol. */
const BOTH = "application/json, text/event-stream";

const NOT_ACCEPTABLE = JSON.stringify({
  jsonrpc: "2.0",
  error: { code: -32_000, message: "Not acceptable: answers are application/json. Add it to Accept." },
  id: null,
});

/** Returns true if a client takes JSON; without the header, it takes anything. */
const takesJson = (accept = "*/*"): boolean => /(?:^|[,\s])(?:\*\/\*|application\/(?:\*|json))/i.test(accept);

/**
 * Answers one request in the revision that it states: 2026-07-28, whose requests are complete in themselves, or an older
 * one, whose clients begin with `initialize`. Answers are JSON; a client that asks for a stream of changes is refused.
 * @param onFault called with the reason of a 5xx, which the SDK answers itself
 */
export async function answerRequest(
  sdk: Sdk,
  server: Server,
  request: IncomingMessage,
  response: ServerResponse,
  body: unknown,
  onFault: (error: unknown) => void,
): Promise<void> {
  if (!takesJson(request.headers.accept)) {
    response.writeHead(406, { "Content-Type": "application/json" }).end(NOT_ACCEPTABLE);
    return;
  }
  // The protocol's library wants both types, though every answer is JSON.
  request.headers.accept = BOTH;
  let last: Error | undefined;
  const onerror = (error: Error) => {
    last = error;
  };
  const current = sdk.createMcpHandler(() => server, { legacy: "reject", maxSubscriptions: 0, onerror });
  const older = new sdk.WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  const handle = sdk.toNodeHandler(
    {
      fetch: async (received, options) => {
        if (!(await sdk.isLegacyRequest(received, body))) return current.fetch(received, options);
        await server.connect(older);
        older.onerror = onerror; // `connect` sets its own
        return older.handleRequest(received, options);
      },
    },
    { onerror },
  );
  response.on("close", () => void server.close());
  // Its declaration lacks `| undefined` where Node's has it (exactOptionalPropertyTypes).
  await handle(request as never, response, body);
  if (response.statusCode >= 500) onFault(last);
}
