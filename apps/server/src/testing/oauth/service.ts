import { request as forward } from "node:http";
import https from "node:https";
import type { AddressInfo } from "node:net";
import { createTestCa } from "@minutes/testing";
import { Agent, fetch as undiciFetch } from "undici";
import { startTestServer, type TestServer, type TestServerOptions } from "../server.js";

/** The name by which people reach the service, which is not that of its own address. */
const HOST = "minutes.example.com";

/** Header of a request that stands for one from another network address. */
export const ADDRESS = "x-test-address";

/** Two processes of the service behind a proxy with TLS, which sends them requests in turn. */
export interface SecureService {
  /** The public address, `https://minutes.example.com:<port>`. */
  readonly url: string;
  readonly servers: readonly [TestServer, TestServer];
  /** Sends a request to the public address. */
  readonly fetch: typeof fetch;
  close(): Promise<void>;
}

/** Starts the service with sign-in for assistants. */
export async function startSecureService(
  options: Pick<TestServerOptions, "clientDocuments" | "consoleDirectory"> = {},
): Promise<SecureService> {
  const ca = await createTestCa();
  let requests = 0;
  const ports: number[] = [];
  const proxy = https.createServer(await ca.issue({ names: [`DNS:${HOST}`] }), (request, response) => {
    const { method, url: path, headers, socket } = request;
    const onwards = forward(
      {
        ...{ host: "127.0.0.1", port: ports[requests++ % 2], method, path },
        headers: { ...headers, "x-forwarded-for": headers[ADDRESS] ?? socket.remoteAddress },
      },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      },
    );
    onwards.on("error", () => response.destroy());
    request.pipe(onwards);
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const url = `https://${HOST}:${(proxy.address() as AddressInfo).port}`;
  const first = await startTestServer({ publicUrl: url, trustProxy: 1, ...options });
  const second = await startTestServer({
    publicUrl: url,
    trustProxy: 1,
    database: first.database,
    ...options,
  });
  ports.push(first.port, second.port);
  const dispatcher = new Agent({
    connect: {
      ca: ca.ca,
      lookup: (_host, _options, done) => done(null, [{ address: "127.0.0.1", family: 4 }]),
    },
  });
  return {
    url,
    servers: [first, second],
    fetch: (async (target: string, init: object) => {
      const answer = await undiciFetch(target, { ...init, dispatcher });
      const { status, headers } = answer;
      const body = status === 204 ? null : await answer.arrayBuffer();
      // The SDK knows only the global class.
      const known = new Response(body, { status, headers: [...headers] });
      return Object.defineProperty(known, "url", { value: answer.url });
    }) as typeof fetch,
    close: async () => {
      await dispatcher.close();
      proxy.closeAllConnections();
      proxy.close();
      await second.close();
      await first.close();
      await ca.remove();
    },
  };
}

/** Calls a method of the protocol with a credential; without one if it is empty. */
export const callMcp = (
  service: SecureService,
  token: string,
  method = "tools/list",
  params: object = {},
  path = "/mcp",
): Promise<Response> =>
  service.fetch(service.url + path, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...(token === "" ? {} : { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
