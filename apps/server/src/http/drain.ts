import type { RequestListener, Server, ServerResponse } from "node:http";
import { Server as NetServer, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** Time in ms during which connections are still accepted, so that a load balancer notices `/ready` first. */
const NOTICE = 500;
/** Maximum time in ms that requests are held back while the last connections are accepted. */
const HOLD = 3_000;
/** Time in ms without a new connection or finished response after which clients are assumed to have reconnected. */
const QUIET = 200;
/** Time in ms after which a quiet connection is closed, during which it can still send a request. */
const IDLE_TIMEOUT = 2_000;
/** Time in ms after which remaining connections are cut. */
const HARD_END = 8_500;

/**
 * Resolves after `QUIET` without a new connection or finished response, in an event-loop turn that accepted no
 * connection, or at `until`. Connections still queued would be reset when the server stops listening, and on a busy
 * machine clients take several turns to reconnect.
 */
async function waitForNoConnection(
  server: Server,
  answering: Iterable<ServerResponse>,
  until: number,
): Promise<void> {
  let latest = performance.now();
  const note = () => {
    latest = performance.now();
  };
  server.on("connection", note);
  for (const response of answering) response.once("close", note);
  while (performance.now() < until) {
    await sleep(10);
    const before = latest;
    await new Promise(setImmediate);
    if (latest === before && performance.now() - latest >= QUIET) break;
  }
  server.off("connection", note);
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
 * Node's own `close()` cuts idle keep-alive connections immediately, along with a request that is just being sent, and
 * resets connections that the kernel has accepted and Node has not. Instead, every answer says `Connection: close` once
 * draining begins, and its connection ends. The server keeps accepting connections until clients stop reconnecting,
 * holding back their requests at the end. Then it closes the listener and answers them. Quiet connections are closed
 * after a while.
 */
export function createDrainable(
  app: RequestListener,
  create: (listener: RequestListener) => Server,
  hardEnd = HARD_END,
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
    await waitForNoConnection(server, answering, performance.now() + HOLD);
    NetServer.prototype.close.call(server);
    held = null;
    for (const answer of waiting) answer();

    const quietSince = performance.now();
    while (connections.size > 0 && performance.now() - began < hardEnd) {
      await sleep(25);
      if (performance.now() - quietSince > IDLE_TIMEOUT) server.closeIdleConnections();
    }
    server.closeAllConnections();
  }
  return { server, drain };
}
