import type { IncomingHttpHeaders, RequestListener } from "node:http";
import https from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { buffer } from "node:stream/consumers";
import type { Certificate } from "./certificates.js";

/** A request received by a receiver. */
export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  body: string;
  /** Milliseconds of `performance.now()`. */
  readonly at: number;
  readonly id: string;
}

/** A customer's endpoint: a real HTTPS server on loopback. */
export interface Receiver {
  readonly url: string;
  readonly port: number;
  readonly received: Received[];
  /** Number of connections so far. */
  connections(): number;
  close(): Promise<void>;
}

/** Determines the answer; a returned number is sent as the status. */
export type AnswerWith = (received: Received, ...io: Parameters<RequestListener>) => number | undefined;

/** Starts a receiver that answers 200 by default. */
export async function startWebhookReceiver(
  certificate: Certificate,
  answer: AnswerWith = () => 200,
  { address = "127.0.0.1", port: wanted = 0 } = {},
): Promise<Receiver> {
  const received: Received[] = [];
  let connections = 0;
  const sockets = new Set<Socket>();
  const server = https.createServer(certificate, async (request, response) => {
    const body = await buffer(request).catch(() => null);
    if (!body) return; // its sender ended it early
    const { url: path = "", headers } = request;
    const one: Received = {
      path,
      headers,
      body: body.toString("utf8"),
      at: performance.now(),
      id: String(headers["service-delivery"]),
    };
    received.push(one);
    const status = answer(one, request, response);
    if (status !== undefined) response.writeHead(status).end();
  });
  server.on("connection", (socket: Socket) => {
    connections++;
    sockets.add(socket.on("close", () => sockets.delete(socket)));
  });
  await new Promise<void>((resolve) => server.listen(wanted, address, resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `https://${address}:${port}/hook`,
    port,
    received,
    connections: () => connections,
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      // The server itself doesn't know connections whose handshake has not ended: their sender would wait for its timeout.
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
