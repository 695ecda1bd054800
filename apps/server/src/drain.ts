import type { Server, ServerResponse } from "node:http";
import { Server as NetServer, type Socket } from "node:net";

/** Milliseconds for which connections are still accepted, so that a load balancer sees `/ready` turn first. */
const NOTICE = 500;
/** Milliseconds for which a quiet connection may still send a request, before it is closed. */
const PATIENCE = 2_000;
/** Milliseconds after which the connections that are left are cut. */
const HARD_END = 8_500;

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/**
 * Prepares an HTTP server to be stopped without failing a request; call it before the server listens.
 *
 * Node's own `close()` cuts idle keep-alive connections at once, and with them a request that is just being sent.
 * Here the server stops listening first. Every answer from then on says `Connection: close`, and a connection ends
 * with its answer; those that stay quiet are closed after a while. Answers that are under way when it begins say
 * so too; later ones only once nobody can connect any more, because a client that is sent away while the
 * door is still open comes back through it, and the door would close on somebody.
 *
 * @returns a function that resolves when no connection is left.
 */
export function drainable(server: Server): () => Promise<void> {
  const connections = new Set<Socket>();
  const answering = new Set<ServerResponse>();
  let closing = false;
  server.on("connection", (socket) => {
    connections.add(socket);
    socket.once("close", () => connections.delete(socket));
  });
  server.prependListener("request", (_request, response) => {
    answering.add(response);
    response.once("close", () => answering.delete(response));
    if (closing) response.setHeader("Connection", "close");
  });
  const lastAnswers = () => {
    for (const response of answering) if (!response.headersSent) response.setHeader("Connection", "close");
  };

  return async function drain() {
    const began = performance.now();
    lastAnswers();
    if (connections.size > 0) await pause(NOTICE);
    // Right after the event loop has accepted whoever was waiting.
    await new Promise(setImmediate);
    closing = true;
    lastAnswers();
    NetServer.prototype.close.call(server);
    const quietSince = performance.now();
    while (connections.size > 0 && performance.now() - began < HARD_END) {
      await pause(25);
      if (performance.now() - quietSince > PATIENCE) server.closeIdleConnections();
    }
    server.closeAllConnections();
  };
}
