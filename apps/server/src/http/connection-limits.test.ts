import { once } from "node:events";
import http from "node:http";
import net from "node:net";
import { send } from "@minutes/testing";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { startTestServer, type TestServer } from "../testing/index.js";
import { DEFAULT_CONNECTION_LIMITS } from "./connection-limits.js";
import { createHttpServer } from "./http-server.js";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

/** Other systems have no additional loopback addresses. */
const onLinux = { skip: process.platform !== "linux" };

const request = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
const MIB = 1024 * 1024;

/** Sends requests on one connection without reading. @returns a promise of the connection's end */
function pipelineUnread(port: number, path: string, requests: number): Promise<void> {
  return new Promise((resolve) => {
    const socket = net.connect(port, "127.0.0.1", () => socket.write(request(path).repeat(requests)));
    socket.pause();
    socket.on("error", () => {});
    socket.on("close", () => resolve());
    // A paused socket notices its end only when it is read.
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

  test("200: 4 requests in one packet are all answered, in their order", async () => {
    const socket = net.connect(server.port, "127.0.0.1");
    socket.write(request("/health").repeat(3) + request("/openapi.json"));
    let text = "";
    for await (const chunk of socket) {
      text += chunk;
      if (text.endsWith("}}}}")) break;
    }
    expect(text.match(/HTTP\/1\.1 200/g)).toHaveLength(4);
    expect(text.lastIndexOf('{"status":"ok"}')).toBeLessThan(text.indexOf('"openapi"'));
    socket.destroy();
  });
});

describe("limits of a connection", () => {
  const countConnections = (own: http.Server): Promise<number> =>
    new Promise((resolve) => own.getConnections((_error, count) => resolve(count)));

  /** A server with the test's own listener. */
  async function listen(listener: http.RequestListener, limits: Partial<typeof DEFAULT_CONNECTION_LIMITS>) {
    const own = createHttpServer(listener, { ...DEFAULT_CONNECTION_LIMITS, ...limits });
    await new Promise<void>((resolve) => own.listen(0, "127.0.0.1", resolve));
    return { own, port: (own.address() as net.AddressInfo).port };
  }

  test("an unread response ends with the connection, and the next request does not start", async () => {
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

  test("too many unread bytes end the largest response of the address with the most", onLinux, async () => {
    const closed: string[] = [];
    const { own, port } = await listen(
      (request, response) => {
        response.once("close", () => closed.push(request.url ?? ""));
        response.end(Buffer.alloc(32 * MIB));
      },
      { unread: 80 * MIB },
    );
    let begun = 0;
    own.on("request", () => begun++);
    const connect = async (path: string, localAddress: string) => {
      const socket = net.connect({ port, host: "127.0.0.1", localAddress });
      socket.on("error", () => {});
      socket.pause();
      const before = begun;
      socket.write(request(path));
      await expect.poll(() => begun).toBe(before + 1);
      return socket;
    };
    const sockets = [
      await connect("/other", "127.0.0.2"),
      await connect("/1", "127.0.0.1"),
      await connect("/2", "127.0.0.1"),
    ];
    await expect.poll(() => closed).toEqual(["/1"]);
    let read = 0;
    sockets[0]?.on("data", (chunk) => {
      read += chunk.length;
    });
    sockets[0]?.resume();
    await expect.poll(() => read).toBeGreaterThan(32 * MIB);
    for (const socket of sockets) socket.destroy();
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

  test("the rest of a packet is not read after it closed the connection", async () => {
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

  test("a slowly read response is sent in full", async () => {
    const body = Buffer.alloc(24 * MIB);
    const { own, port } = await listen((_request, response) => response.end(body), { writeStall: 3_000 });
    const length = await new Promise<number>((resolve, reject) => {
      http
        .get({ port, host: "127.0.0.1", agent: false }, async (response) => {
          let read = 0;
          for await (const chunk of response) {
            const part = Math.floor((read + chunk.length) / (4 * MIB)) - Math.floor(read / (4 * MIB));
            read += chunk.length;
            // 3.6 seconds in total, longer than the timeout, but in shorter intervals.
            if (part > 0) await new Promise((done) => setTimeout(done, 600));
          }
          resolve(read);
        })
        .on("error", reject);
    });
    expect(length).toBe(body.length);
    own.close();
  });

  /** Opens a connection and sends data. */
  function open(port: number, text = "", from = "127.0.0.1") {
    const socket = net.connect({ port, host: "127.0.0.1", localAddress: from, allowHalfOpen: true });
    socket.on("error", () => {});
    socket.write(text);
    const ended = Promise.race([once(socket, "end"), once(socket, "close")]).catch(() => {});
    const answer = new Promise<string>((resolve) => {
      let received = "";
      socket.setEncoding("utf8").on("data", (chunk) => {
        received += chunk;
        if (received.includes("\r\n\r\n")) resolve(received);
      });
      void ended.then(() => resolve(received));
    });
    onTestFinished(() => void socket.destroy());
    return { socket, ended, answer };
  }

  test.each([
    ["in all", { connections: 2 }],
    ["of an address", { perAddress: 2 }],
  ])("a connection %s over the limit is closed while all within it are being answered", async (_, limits) => {
    const waiting: http.ServerResponse[] = [];
    const { own, port } = await listen((_request, response) => void waiting.push(response), limits);
    const first = [1, 2].map(() => open(port, request("/")));
    await expect.poll(() => waiting.length).toBe(2);
    expect(await open(port, request("/")).answer).toBe("");
    for (const response of waiting) response.end("ok");
    for (const { answer } of first) expect(await answer).toContain("200 OK");
    for (const { socket } of first) socket.destroy();
    // Closed connections don't count.
    await expect.poll(() => countConnections(own)).toBe(0);
    const later = open(port, request("/"));
    await expect.poll(() => waiting.length).toBe(3);
    waiting[2]?.end();
    expect(await later.answer).toContain("200 OK");
    own.close();
  });

  test.each([
    ["in all", { connections: 2 }],
    ["of an address", { perAddress: 2 }],
    ["without a complete request", { arriving: 2 }],
  ])("a connection %s over the limit closes the oldest that has sent no request", async (_, limits) => {
    const { own, port } = await listen((_request, response) => response.end("ok"), limits);
    const oldest = open(port, "GET / HTTP/1.1\r\n");
    await expect.poll(() => countConnections(own)).toBe(1);
    const second = open(port);
    await expect.poll(() => countConnections(own)).toBe(2);
    expect(await open(port, request("/")).answer).toContain("200 OK");
    await oldest.ended;
    second.socket.write(request("/"));
    expect(await second.answer).toContain("200 OK");
    own.close();
  });

  test("idle connections give way to new ones, those without a complete request before them", async () => {
    const { own, port } = await listen((_request, response) => response.end("ok"), { connections: 2 });
    const idle = open(port, request("/"));
    await idle.answer;
    const silent = open(port);
    await expect.poll(() => countConnections(own)).toBe(2);
    const third = open(port, request("/"));
    expect(await third.answer).toContain("200 OK");
    await silent.ended;
    expect(await open(port, request("/")).answer).toContain("200 OK");
    await idle.ended;
    own.close();
  });

  test("a slowly arriving body is dropped first; a complete one is answered", async () => {
    const waiting: http.ServerResponse[] = [];
    const limits = { connections: 2 };
    const { own, port } = await listen((_request, response) => void waiting.push(response), limits);
    const post = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\n";
    const complete = open(port, `${post}body`);
    const slow = open(port, `${post}b`);
    await expect.poll(() => waiting.length).toBe(2);
    const third = open(port, request("/"));
    await slow.ended;
    await expect.poll(() => waiting.length).toBe(3);
    for (const response of waiting) response.end("ok");
    expect(await complete.answer).toContain("200 OK");
    expect(await third.answer).toContain("200 OK");
    own.close();
  });

  test("408: endless headers close the connection, whatever the client sends next", async () => {
    const { own, port } = await listen((_request, response) => response.end("ok"), {
      headers: 300,
      grace: 100,
    });
    const { socket, answer } = open(port, "GET / HTTP/1.1\r\n");
    const drip = setInterval(() => socket.writable && socket.write("x: y\r\n"), 50);
    onTestFinished(() => clearInterval(drip));
    expect(await answer).toMatch(/^HTTP\/1\.1 408 Request Timeout/);
    await expect.poll(() => countConnections(own)).toBe(0);
    own.close();
  });

  test("clients that drip headers from two addresses don't keep others out", onLinux, async () => {
    const limits = { connections: 40, perAddress: 20, arriving: 30 };
    const { own, port } = await listen((_request, response) => response.end("ok"), limits);
    const dripping = ["127.0.0.2", "127.0.0.3"].flatMap((from) =>
      Array.from({ length: 20 }, () => open(port, "GET / HTTP/1.1\r\n", from)),
    );
    let closed = 0;
    for (const { ended } of dripping) void ended.then(() => closed++);
    await expect.poll(() => closed).toBe(10);
    expect(await countConnections(own)).toBe(30);
    for (let call = 0; call < 20; call++) expect(await open(port, request("/")).answer).toContain("200 OK");
    own.close();
  });
});
