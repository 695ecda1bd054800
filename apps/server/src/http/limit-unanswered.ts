import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { ConnectionLimits } from "./connection-limits.js";
import type { OpenConnections } from "./open-connections.js";

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/**
 * Creates a listener that answers a connection's requests one after another, and closes a connection that pipelines
 * more than it reads. Node parses all requests of a packet at once and keeps all responses until the client reads them,
 * so one connection could fill the memory or block the others.
 * @see docs/security.md#limits
 */
export function limitUnanswered(
  { unanswered, writeStall, silence }: ConnectionLimits,
  connections: OpenConnections,
  listener: RequestListener,
): RequestListener {
  const queues = new WeakMap<Socket, Exchange[]>();

  function begin(socket: Socket, queue: Exchange[]): void {
    const [next] = queue;
    if (!next || socket.destroyed) return;
    const { request, response } = next;
    socket.setTimeout(silence);
    // Everything is written; from here on, the server only waits for the client to read.
    response.once("prefinish", () => {
      socket.setTimeout(writeStall);
      connections.beginReading(socket);
    });
    response.once("close", () => {
      connections.endReading(socket);
      queue.shift();
      // In another turn of the event loop, so that other connections are served first.
      if (queue.length > 0) setImmediate(begin, socket, queue);
      else connections.end(socket);
    });
    listener(request, response);
  }

  return (request, response) => {
    const { socket } = request;
    // Not writable: an earlier error closed its connection.
    if (!socket.writable) return;
    const queue = queues.get(socket) ?? [];
    queues.set(socket, queue);
    if (queue.length >= unanswered) return endConnection(socket);
    queue.push({ request, response });
    connections.begin(request);
    if (queue.length === 1) begin(socket, queue);
  };
}

/** Makes Node's parser fail by returning an unknown result. */
const refuseRequest = (): number => 7;

/**
 * Closes a connection and discards the rest of its packet. Otherwise Node would create a request and a response for
 * each of up to 1,500 small requests in a packet: 3 MiB per connection, until the next full garbage collection. The
 * parser's `onIncoming` is undocumented; if it is missing, the connection is closed anyway.
 */
function endConnection(socket: Socket): void {
  socket.destroy();
  const { parser } = socket as { parser?: { onIncoming: unknown } };
  if (parser) parser.onIncoming = refuseRequest;
}
