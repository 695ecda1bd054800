import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { needs } from "@minutes/testing";
import { describe, expect, onTestFinished, test } from "vitest";
import { sampleDataDir, startProcess } from "../testing/process.js";
import { createDrainable } from "./drain.js";

/** Clients that send requests while the server stops. */
const CLIENTS = 10;

interface Load {
  /** Number of answers by status. */
  readonly statuses: Map<number, number>;
  /** Failures other than a refused connection after the end. */
  readonly failures: string[];
  /** When answers said that their connection ends, as `performance.now()`. */
  readonly closes: number[];
  readonly over: Promise<unknown>;
}

/** Starts clients that send one request after another until the listener is closed. */
function load(url: string, headers: http.OutgoingHttpHeaders, keepAlive: boolean): Load {
  const statuses = new Map<number, number>();
  const failures: string[] = [];
  const closes: number[] = [];
  const agent = new http.Agent({ keepAlive });
  onTestFinished(() => agent.destroy());
  const request = () =>
    new Promise<number | null>((resolve) => {
      http
        .get(url, { agent, headers }, (response) => {
          if (response.headers.connection === "close") closes.push(performance.now());
          response.on("error", (error) => resolve(failures.push(error.message) && null));
          response.on("end", () => resolve(response.statusCode ?? 0)).resume();
        })
        .on("error", (error: NodeJS.ErrnoException) => {
          if (error.code !== "ECONNREFUSED") failures.push(error.code ?? error.message);
          resolve(null);
        });
    });
  const client = async () => {
    for (let status = await request(); status !== null; status = await request()) {
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  };
  return { statuses, failures, closes, over: Promise.all(Array.from({ length: CLIENTS }, client)) };
}

/** Sends the beginning of a request, and waits until the server has read its head. */
async function beginRequest(url: string, headers: http.OutgoingHttpHeaders = {}) {
  const request = http.request(url, { method: "POST", headers: { expect: "100-continue", ...headers } });
  request.on("error", () => {});
  request.flushHeaders();
  await once(request, "continue");
  return request;
}

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

const keyOf = (printed: string): string => /x-api-key: (jk_\w+)/.exec(printed)?.[1] ?? "";

test("a request that started earlier is answered with Connection: close; one that never ends is cut", async () => {
  const { server, drain } = createDrainable(
    (request, response) => void request.resume().on("end", () => response.end()),
    http.createServer,
    4_000,
  );
  await once(server.listen(0, "127.0.0.1"), "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const [endless, request] = [await beginRequest(url), await beginRequest(url)];
  const cut = new Promise((resolve) => endless.on("close", resolve));
  const answered = once(request, "response");
  const drained = drain();
  await expect.poll(() => server.listening).toBe(false);
  request.end("sent late");
  const [response] = (await answered) as [http.IncomingMessage];
  expect([response.statusCode, response.headers.connection]).toEqual([200, "close"]);
  response.resume();
  await Promise.all([drained, cut]);
});

describe("stopping", needs("embedded"), () => {
  test("SIGTERM under load, with and without keep-alive connections: /ready is 503 and calls are served for STOP_DELAY, no request fails, exit 0", async () => {
    const settings = { DATA_DIR: await sampleDataDir(), RATE_LIMIT_PER_MINUTE: "1000000", STOP_DELAY: "1" };
    const server = await startProcess(settings);
    const headers = { "x-api-key": keyOf(server.output.stderr) };
    const loads = [true, false].map((keepAlive) =>
      load(`${server.url}/v1/me/meetings.list`, headers, keepAlive),
    );
    // An open, quiet connection must not keep the process alive.
    const idle = new http.Agent({ keepAlive: true });
    onTestFinished(() => idle.destroy());
    const quiet = http.get(`${server.url}/health`, { agent: idle }, (response) => response.resume());
    quiet.on("error", () => {});
    for (const { statuses } of loads) await expect.poll(() => statuses.get(200)).toBeGreaterThan(2 * CLIENTS);

    const signalled = performance.now();
    server.child.kill("SIGTERM");
    await expect.poll(async () => (await fetch(`${server.url}/ready`)).status, { interval: 20 }).toBe(503);
    const { code, stdout } = await server.ended;
    // The end of a stop under load takes longer than STOP_DELAY, so its duration proves nothing.
    expect((loads[0]?.closes[0] ?? 0) - signalled).toBeGreaterThan(1_000);
    for (const { statuses, failures, over } of loads) {
      await over;
      const seen = { code, statuses: [...statuses.keys()], failures };
      expect(seen, stdout).toEqual({ code: 0, statuses: [200], failures: [] });
    }
  });

  test("a second signal ends the process at once", async () => {
    const server = await startProcess({ DATA_DIR: await sampleDataDir() });
    await beginRequest(`${server.url}/v1/me/tasks.update`, {
      "x-api-key": keyOf(server.output.stderr),
      "content-type": "application/json",
    });
    server.child.kill("SIGINT");
    await expect.poll(async () => (await fetch(`${server.url}/ready`)).status, { interval: 20 }).toBe(503);
    await pause(1_500); // one that follows within a second counts as the same signal
    const { code } = await server.stop("SIGINT");
    expect(code).toBe(1);
  });
});
