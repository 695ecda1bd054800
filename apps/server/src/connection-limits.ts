import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Server, Socket } from "node:net";
import { toAddressKey } from "@minutes/core";

/** Bounds on what one connection, and all of them together, may hold of the process. */
export interface ConnectionLimits {
  /** Connections at once; further ones are closed at once. */
  readonly connections: number;
  /** Connections of one address, or one /64 network of IPv6, at once; further ones are closed at once. */
  readonly perAddress: number;
  /** Requests of one connection that have no complete response yet, or one that the client has not read. */
  readonly unanswered: number;
  /** Milliseconds for which a response may make no progress because the client does not read it. */
  readonly writeStall: number;
  /** Milliseconds without any traffic, longer than the longest deadline of a call. */
  readonly silence: number;
}

export const DEFAULT_CONNECTION_LIMITS: ConnectionLimits = {
  connections: 2_000,
  perAddress: 1_000,
  unanswered: 16,
  writeStall: 20_000,
  silence: 75_000,
};

/** Limits of a server behind proxies: these hold most connections, each for many clients. */
export const PROXIED_CONNECTION_LIMITS: ConnectionLimits = {
  ...DEFAULT_CONNECTION_LIMITS,
  perAddress: DEFAULT_CONNECTION_LIMITS.connections,
};

/** Closes connections of an address beyond a number, so that one address can't take all that the server accepts. */
export function limitPerAddress(server: Server, { perAddress }: ConnectionLimits): void {
  const counts = new Map<string, number>();
  server.on("connection", (socket) => {
    const address = toAddressKey(socket.remoteAddress);
    const count = (counts.get(address) ?? 0) + 1;
    counts.set(address, count);
    socket.once("close", () => {
      const left = (counts.get(address) ?? 1) - 1;
      if (left > 0) counts.set(address, left);
      else counts.delete(address);
    });
    if (count > perAddress) socket.destroy();
  });
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/**
 * Makes a listener that answers the requests of a connection one after another, and ends a connection which pipelines
 * more than it reads. Node parses every request of a received packet at once, hands all of them on, and keeps all
 * responses until the client reads them, so one connection could fill the memory or hold up the others.
 * @see docs/security.md#limits
 */
export function limitUnanswered(
  { unanswered, writeStall, silence }: ConnectionLimits,
  listener: RequestListener,
): RequestListener {
  const queues = new WeakMap<Socket, Exchange[]>();

  function begin(socket: Socket, queue: Exchange[]): void {
    const [next] = queue;
    if (!next || socket.destroyed) return;
    const { request, response } = next;
    socket.setTimeout(silence);
    // Everything is written: from here on the server only waits for the client to read.
    response.once("prefinish", () => socket.setTimeout(writeStall));
    response.once("close", () => {
      queue.shift();
      // In another turn of the event loop, so that other connections have theirs before.
      if (queue.length > 0) setImmediate(begin, socket, queue);
    });
    listener(request, response);
  }

  return (request, response) => {
    const { socket } = request;
    if (socket.destroyed) return;
    const queue = queues.get(socket) ?? [];
    queues.set(socket, queue);
    if (queue.length >= unanswered) return endConnection(socket);
    queue.push({ request, response });
    if (queue.length === 1) begin(socket, queue);
  };
}

/** Makes Node's parser fail: a result that it does not know. */
const refuseRequest = (): number => 7;

/**
 * Ends a connection and leaves the rest of its packet unread. Node would go on and make a request and a response for each
 * of the 1,500 small requests that a packet can hold: 3 MiB a connection, which live until the next full collection.
 * The parser's `onIncoming` is not documented; where it is missing, the connection ends all the same.
 */
function endConnection(socket: Socket): void {
  socket.destroy();
  const { parser } = socket as { parser?: { onIncoming: unknown } };
  if (parser) parser.onIncoming = refuseRequest;
}
