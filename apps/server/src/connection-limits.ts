import type { RequestListener, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** Bounds on what one connection, and all of them together, may hold of the process. */
export interface ConnectionLimits {
  /** Connections at once; further ones are closed at once. */
  readonly connections: number;
  /** Requests of one connection that have no complete response yet, or one that the client has not read. */
  readonly unanswered: number;
  /** Milliseconds for which a response may make no progress because the client does not read it. */
  readonly writeStall: number;
  /** Milliseconds without any traffic, longer than the longest deadline of a call. */
  readonly silence: number;
}

export const DEFAULT_CONNECTION_LIMITS: ConnectionLimits = {
  connections: 2_000,
  unanswered: 16,
  writeStall: 20_000,
  silence: 75_000,
};

/**
 * Makes a listener that ends a connection which pipelines more than it reads. Node parses every request of a received
 * packet at once and keeps all responses until the client reads them, so one connection could fill the memory.
 * @see docs/security.md#limits
 */
export function limitUnanswered(
  { unanswered, writeStall, silence }: ConnectionLimits,
  listener: RequestListener,
): RequestListener {
  const pendingBySocket = new WeakMap<Socket, Set<ServerResponse>>();
  const trackSocket = (socket: Socket): Set<ServerResponse> => {
    const pending = new Set<ServerResponse>();
    pendingBySocket.set(socket, pending);
    socket.once("close", () => closeWaiting(socket, pending));
    return pending;
  };
  return (request, response) => {
    const { socket } = request;
    // The rest of a packet whose earlier requests ended the connection.
    if (socket.destroyed) return;
    const pending = pendingBySocket.get(socket) ?? trackSocket(socket);
    if (pending.size >= unanswered) return void socket.destroy();
    pending.add(response);
    if (pending.size === 1) socket.setTimeout(silence);
    // Everything is written: from here on the server only waits for the client to read.
    response.once("prefinish", () => socket.setTimeout(writeStall));
    response.once("close", () => {
      pending.delete(response);
      const [next] = pending;
      if (next) socket.setTimeout(next.writableEnded ? writeStall : silence);
    });
    listener(request, response);
  };
}

/** Closes responses that waited behind another one: Node tells only the first that its connection is gone. */
function closeWaiting(socket: Socket, pending: ReadonlySet<ServerResponse>): void {
  for (const response of pending) {
    if (response.socket === socket) continue;
    response.destroy();
    response.emit("close");
  }
}
