import { once } from "node:events";
import http from "node:http";
import { needs } from "@minutes/testing";
import { describe, expect, onTestFinished, test } from "vitest";
import { sampleDataDir, startProcess } from "../testing/process.js";

/** Clients that send requests while the server stops. */
const CLIENTS = 25;

interface Load {
  /** Number of answers by status. */
  readonly statuses: Map<number, number>;
  /** Failures other than a refused connection after the end. */
  readonly failures: string[];
  readonly over: Promise<unknown>;
}

/** Starts clients that send one request after another until the listener is closed. */
function load(url: string, headers: http.OutgoingHttpHeaders, keepAlive: boolean): Load {
  const statuses = new Map<number, number>();
  const failures: string[] = [];
  const agent = new http.Agent({ keepAlive });
  onTestFinished(() => agent.destroy());
  const request = () =>
    new Promise<number | null>((resolve) => {
      http
        .get(url, { agent, headers }, (response) => {
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
  return { statuses, failures, over: Promise.all(Array.from({ length: CLIENTS }, client)) };
}

/** Sends the beginning of a request, and waits until the server has read its head. */
async function beginRequest(server: { url: string; output: { stderr: string } }, body: string) {
  const headers = {
    "x-api-key": keyOf(server.output.stderr),
    "content-type": "application/json",
    expect: "100-continue",
  };
  const request = http.request(`${server.url}/v1/me/tasks.update`, { method: "POST", headers });
  request.on("error", () => {});
  request.flushHeaders();
  await once(request, "continue");
  request.write(body);
  return request;
}

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

const keyOf = (printed: string): string => /x-api-key: (jk_\w+)/.exec(printed)?.[1] ?? "";

describe("stopping", needs("embedded"), () => {
  test("SIGTERM under load, with and without keep-alive connections: no request fails, exit 0", async () => {
    const server = await startProcess({ DATA_DIR: await sampleDataDir(), RATE_LIMIT_PER_MINUTE: "1000000" });
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

    const { code, stdout } = await server.stop("SIGTERM");
    for (const { statuses, failures, over } of loads) {
      await over;
      const seen = { code, statuses: [...statuses.keys()], failures };
      expect(seen, stdout).toEqual({ code: 0, statuses: [200], failures: [] });
    }
  });

  test("a request that started earlier is answered, with Connection: close, while /ready is 503; one that never ends is cut", async () => {
    const server = await startProcess({ DATA_DIR: await sampleDataDir() });
    const endless = await beginRequest(server, " ");
    const drip = setInterval(() => endless.write(" "), 500);
    onTestFinished(() => clearInterval(drip));
    const request = await beginRequest(server, '{"json":{"taskId":"none",');
    server.child.kill("SIGTERM");
    await expect.poll(async () => (await fetch(`${server.url}/ready`)).status, { interval: 20 }).toBe(503);
    await pause(1_000);
    request.end('"completed":true}}');
    const [response] = (await once(request, "response")) as [http.IncomingMessage];
    expect([response.statusCode, response.headers.connection]).toEqual([404, "close"]);
    response.resume();
    expect((await server.ended).code).toBe(0);
  });

  test("STOP_DELAY: /ready is 503 and calls are served until it ends", async () => {
    const server = await startProcess({ DATA_DIR: await sampleDataDir(), STOP_DELAY: "3" });
    const headers = { "x-api-key": keyOf(server.output.stderr), connection: "close" };
    // A new connection for each request, as load balancers open them. Null: connection refused.
    const ask = (path: string) =>
      fetch(`${server.url}${path}`, { headers }).then(
        ({ status }) => status,
        () => null,
      );
    const signalled = performance.now();
    server.child.kill("SIGTERM");
    await expect.poll(() => ask("/ready"), { interval: 20 }).toBe(503);
    const seen = new Set<string>();
    for (;;) {
      const statuses = [await ask("/ready"), await ask("/v1/me/meetings.list")];
      if (statuses.includes(null)) break;
      seen.add(statuses.join());
      await pause(50);
    }
    expect([...seen]).toEqual(["503,200"]);
    expect(performance.now() - signalled).toBeGreaterThan(3_000);
    expect((await server.ended).code).toBe(0);
  });

  test("a second signal ends the process at once", async () => {
    const server = await startProcess({ DATA_DIR: await sampleDataDir() });
    await beginRequest(server, " ");
    server.child.kill("SIGINT");
    await expect.poll(async () => (await fetch(`${server.url}/ready`)).status, { interval: 20 }).toBe(503);
    await pause(1_500); // one that follows within a second counts as the same signal
    const { code } = await server.stop("SIGINT");
    expect(code).toBe(1);
  });
});
