import type { RequestListener, Server, ServerResponse } from "node:http";
import { Server as NetServer, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** Milliseconds for which connections are still accepted, so that a load balancer sees `/ready` turn first. */
const NOTICE = 500;
/** Milliseconds for which requests are held back at most while connections are accepted for the last time. */
const HOLD = 1_000;
/** Milliseconds for which a quiet connection may still send a request, before it is closed. */
const IDLE_TIMEOUT = 2_000;
/** Milliseconds after which the connections that are left are cut. */
const HARD_END = 8_500;

/**
 * Resolves right after the event loop has looked for new connections and found none, or at `until`. It accepts one
 * in each turn, and those that wait behind it would be reset when the server stops listening.
 */
async function waitForNoConnection(server: Server, until: number): Promise<void> {
  let came = true;
  const onConnection = () => {
    came = true;
  };
  server.on("connection", onConnection);
  while (came && performance.now() < until) {
    came = false;
    await new Promise(setImmediate);
  }
  server.off("connection", onConnection);
}

/** A server that can be stopped without failing a request. */
export interface Drainable {
  readonly server: Server;
  /** Stops the server; resolves when no connection is left. */
  drain(): Promise<void>;
}

/**
 * Makes an HTTP server that can be stopped without failing a request.
 *
 * Node's own `close()` cuts idle keep-alive connections at once, and with them a request that is just being sent; it
 * also resets those that the kernel has accepted and Node has not. Here every answer says `Connection: close` from the
 * beginning of the end on, and a connection ends with its answer. Clients then come back through the open door, so
 * at the end their requests are held back until nobody is left at the door; it closes, and they are answered.
 * Connections that stay quiet are closed after a while.
 */
export function createDrainable(
  app: RequestListener,
  create: (listener: RequestListener) => Server,
): Drainable {
  const connections = new Set<Socket>();
  const answering = new Set<ServerResponse>();
  let closing = false;
  let held: (() => void)[] | null = null;

  const server = create((request, response) => {
    answering.add(response);
    response.once("close", () => answering.delete(response));
    if (closing) response.setHeader("Connection", "close");
    if (held) held.push(() => app(request, response));
    else app(request, response);
  });
  server.on("connection", (socket) => {
    connections.add(socket);
    socket.once("close", () => connections.delete(socket));
  });

  async function drain() {
    const began = performance.now();
    closing = true;
    for (const response of answering) if (!response.headersSent) response.setHeader("Connection", "close");
    if (connections.size > 0) await sleep(NOTICE);

    const waiting: (() => void)[] = [];
    held = waiting;
    await waitForNoConnection(server, performance.now() + HOLD);
    NetServer.prototype.close.call(server);
    held = null;
    for (const answer of waiting) answer();

    const quietSince = performance.now();
    while (connections.size > 0 && performance.now() - began < HARD_END) {
      await sleep(25);
      if (performance.now() - quietSince > IDLE_TIMEOUT) server.closeIdleConnections();
    }
    server.closeAllConnections();
  }
  return { server, drain };
}
