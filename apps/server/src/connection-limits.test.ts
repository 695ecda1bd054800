import http from "node:http";
import net from "node:net";
import { send, startTestServer, type TestServer } from "@minutes/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { DEFAULT_CONNECTION_LIMITS } from "./connection-limits.js";
import { createHttpServer } from "./http-server.js";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

const request = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
const MIB = 1024 * 1024;

/** Sends requests on one connection and reads nothing. @returns a promise of the connection's end */
function pipelineUnread(port: number, path: string, requests: number): Promise<void> {
  return new Promise((resolve) => {
    const socket = net.connect(port, "127.0.0.1", () => socket.write(request(path).repeat(requests)));
    socket.pause();
    socket.on("error", () => {});
    socket.on("close", () => resolve());
    // A paused socket is told of its end only when it is read.
    const poll = setInterval(() => socket.write("", (error) => error && socket.destroy()), 50);
    socket.on("close", () => clearInterval(poll));
  });
}

describe("a client that pipelines more than it reads", () => {
  test("is disconnected; memory stays, and others are served", async () => {
    await send(server.url, "/openapi.json");
    await send(server.url, "/docs/viewer.js");
    const before = process.memoryUsage.rss();
    const ended = [..."12345678"].map(() => pipelineUnread(server.port, "/openapi.json", 2_100));
    const health = await send(server.url, "/health");
    expect(health.status).toBe(200);
    await Promise.all(ended);
    expect((process.memoryUsage.rss() - before) / MIB).toBeLessThan(64);
  });

  test("200: 16 requests in one packet are all answered, in their order", async () => {
    const socket = net.connect(server.port, "127.0.0.1");
    socket.write(request("/health").repeat(15) + request("/openapi.json"));
    let text = "";
    for await (const chunk of socket) {
      text += chunk;
      if (text.endsWith("}}}}")) break;
    }
    expect(text.match(/HTTP\/1\.1 200/g)).toHaveLength(16);
    expect(text.lastIndexOf('{"status":"ok"}')).toBeLessThan(text.indexOf('"openapi"'));
    socket.destroy();
  });
});

describe("limits of a connection", () => {
  const countConnections = (own: http.Server): Promise<number> =>
    new Promise((resolve) => own.getConnections((_error, count) => resolve(count)));

  /** A server with a listener of the test's own. */
  async function listen(listener: http.RequestListener, limits: Partial<typeof DEFAULT_CONNECTION_LIMITS>) {
    const own = createHttpServer(listener, { ...DEFAULT_CONNECTION_LIMITS, ...limits });
    await new Promise<void>((resolve) => own.listen(0, "127.0.0.1", resolve));
    return { own, port: (own.address() as net.AddressInfo).port };
  }

  test("a response that nobody reads ends with the connection; the request behind it is not begun", async () => {
    const begun: string[] = [];
    const closed: string[] = [];
    const body = Buffer.alloc(32 * MIB);
    const { own, port } = await listen(
      (request, response) => {
        begun.push(request.url ?? "");
        response.once("close", () => closed.push(request.url ?? ""));
        response.end(body);
      },
      { writeStall: 200 },
    );
    const socket = net.connect(port, "127.0.0.1");
    socket.on("error", () => {});
    socket.pause();
    socket.write(request("/1") + request("/2"));
    await expect.poll(() => closed).toEqual(["/1"]);
    expect(begun).toEqual(["/1"]);
    socket.destroy();
    own.close();
  });

  test("requests of one connection are answered one after another, those of others meanwhile", async () => {
    const begun: string[] = [];
    const waiting: (() => void)[] = [];
    const { own, port } = await listen((request, response) => {
      begun.push(request.url ?? "");
      if (request.url === "/1") waiting.push(() => response.end());
      else response.end();
    }, {});
    const [first, other] = [net.connect(port, "127.0.0.1"), net.connect(port, "127.0.0.1")];
    first.write(request("/1") + request("/2") + request("/3"));
    await expect.poll(() => begun).toEqual(["/1"]);
    other.write(request("/other"));
    await expect.poll(() => begun).toEqual(["/1", "/other"]);
    waiting[0]?.();
    await expect.poll(() => begun).toEqual(["/1", "/other", "/2", "/3"]);
    for (const socket of [first, other]) socket.destroy();
    own.close();
  });

  test("the rest of a packet that ended its connection is not read", async () => {
    let requests = 0;
    const { own, port } = await listen(() => {}, { unanswered: 2 });
    own.on("request", () => requests++);
    const socket = net.connect(port, "127.0.0.1");
    socket.on("error", () => {});
    const ended = new Promise<void>((resolve) => socket.once("close", () => resolve()).resume());
    socket.write(request("/").repeat(500));
    await ended;
    expect(requests).toBe(3);
    own.close();
  });

  test("a response that is read slowly is sent to its end", async () => {
    const body = Buffer.alloc(24 * MIB);
    const { own, port } = await listen((_request, response) => response.end(body), { writeStall: 1_000 });
    const length = await new Promise<number>((resolve, reject) => {
      http
        .get({ port, host: "127.0.0.1", agent: false }, async (response) => {
          let read = 0;
          for await (const chunk of response) {
            const part = Math.floor((read + chunk.length) / (4 * MIB)) - Math.floor(read / (4 * MIB));
            read += chunk.length;
            // 1.2 seconds in all, longer than the limit, and never as long at once.
            if (part > 0) await new Promise((done) => setTimeout(done, 200));
          }
          resolve(read);
        })
        .on("error", reject);
    });
    expect(length).toBe(body.length);
    own.close();
  });

  test.each([
    ["in all", { connections: 2 }],
    ["of an address", { perAddress: 2 }],
  ])("connections %s over the limit are closed; those within it are served", async (_, limits) => {
    const { own, port } = await listen((_request, response) => response.end("ok"), limits);
    const open = [1, 2].map(() => net.connect(port, "127.0.0.1"));
    await Promise.all(open.map((socket) => new Promise((resolve) => socket.once("connect", resolve))));
    await expect.poll(() => countConnections(own)).toBe(2);
    const third = net.connect(port, "127.0.0.1");
    await new Promise<void>((resolve) => third.once("close", () => resolve()).resume());
    open[0]?.write(request("/"));
    const [chunk] = (await Promise.race([
      new Promise((resolve) => open[0]?.once("data", (data) => resolve([data]))),
    ])) as [Buffer];
    expect(String(chunk)).toContain("200 OK");
    for (const socket of open) socket.destroy();
    // Connections that ended don't count.
    await expect.poll(() => countConnections(own)).toBe(0);
    const later = net.connect(port, "127.0.0.1");
    later.write(request("/"));
    expect(String(await new Promise((resolve) => later.once("data", resolve)))).toContain("200 OK");
    later.destroy();
    own.close();
  });
});
