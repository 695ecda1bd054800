import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import {
  createTestCa,
  findFreePort,
  type Inbox,
  openInbox,
  type Receiver,
  startWebhookReceiver,
  type TestCa,
  testBrowser,
  waitFor,
} from "@minutes/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Collector, startCollector } from "../../apps/server/src/operations/watch/testing/collector.js";
import { run } from "../support/run.js";
import { type InstalledServer, installServer } from "../support/server-package.js";

/** One less than the number of meetings in the sample. */
const FEWER_MEETINGS = 13;

let installed: InstalledServer;
let ca: TestCa;
let receiver: Receiver;
let inbox: Inbox;
let collector: Collector;
let server: ChildProcess;
let url: string;
let metricsUrl: string;
let keys: { readonly personalKey: string; readonly workspaceKey: string };
let env: Record<string, string>;

/** Runs a command of the installed package on the running server's data. */
const minutes = async (...args: string[]) =>
  JSON.parse(await run(installed.program, [...args, "--json"], { cwd: installed.folder, env }));

/** Uses everything that is loaded lazily: e-mail, traces, metrics, webhooks, a model. */
beforeAll(async () => {
  installed = await installServer();
  ca = await createTestCa();
  receiver = await startWebhookReceiver(await ca.issue());
  inbox = await openInbox();
  collector = await startCollector();
  const metricsPort = await findFreePort();
  metricsUrl = `http://127.0.0.1:${metricsPort}/metrics`;
  env = {
    ...{ PATH: process.env.PATH ?? "", HOME: installed.folder, DATA_DIR: join(installed.folder, "data") },
    ...{ PORT: "0", DEMO: "on", EMBEDDINGS: "builtin", METRICS_PORT: String(metricsPort) },
    ...{ SMTP_URL: inbox.url, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: "50" },
    ...{ WEBHOOK_CA_FILE: ca.caFile, WEBHOOK_ALLOWED_NETWORKS: "127.0.0.1/32" },
    BACKUP_PASSPHRASE: "a passphrase of the test",
  };
  server = spawn(installed.program, ["start", "--json"], {
    cwd: installed.folder,
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const line = await readLine(server.stdout as Readable, '{"url"');
  const banner = JSON.parse(line) as { url: string; sample: typeof keys };
  url = banner.url;
  keys = banner.sample;
});
afterAll(async () => {
  const ended = once(server, "exit");
  server.kill("SIGTERM");
  expect(await ended).toEqual([0, null]);
  for (const one of [receiver, inbox, collector]) await one.close();
  await ca.remove();
  await installed.remove();
});

test("npx runs the tarball without a registry", async () => {
  const cwd = dirname(installed.tarball);
  const npx = ["--offline", "--yes", `./${basename(installed.tarball)}`, "--version"];
  const version = await run("npx", npx, { cwd, env: { npm_config_cache: join(installed.folder, "npx") } });
  expect(version).toMatch(/^\d+\.\d+\.\d+\n$/);
});

test("a command that the running server answers loads neither the database's code nor the server's", async () => {
  const readLoaded = async (...args: string[]) => {
    const coverage = await mkdtemp(join(installed.folder, "coverage-"));
    await run(installed.program, args, {
      cwd: installed.folder,
      env: { ...env, NODE_V8_COVERAGE: coverage },
    });
    const [report = ""] = await readdir(coverage);
    const { result } = JSON.parse(await readFile(join(coverage, report), "utf8")) as {
      result: { url: string }[];
    };
    const files = result.flatMap(({ url }) => (url.startsWith("file:") ? [fileURLToPath(url)] : []));
    return (await Promise.all(files.map((file) => readFile(file, "utf8")))).join("\n");
  };
  for (const args of [["--version"], ["users", "list"], ["keys", "list", "--help"]]) {
    const code = await readLoaded(...args);
    expect(code).toContain("OperatorCommand");
    expect(code).not.toMatch(/node_modules\/(drizzle-orm|express)\//);
    expect(code.length).toBeLessThan(1_500_000);
  }
});

test("the tarball is smaller than 50 MB", async () => {
  expect((await stat(installed.tarball)).size).toBeLessThan(50e6);
});

test("200: its pages, its documents, its health and its metrics are there", async () => {
  for (const path of ["/health", "/ready", "/openapi.json", "/docs", "/docs/viewer.js", "/docs/viewer.css"])
    expect([path, (await fetch(`${url}${path}`)).status]).toEqual([path, 200]);
  const page = await fetch(`${url}/meetings`, { headers: { accept: "text/html" } });
  const [, script] = /src="(\/assets\/[^"]+)"/.exec(await page.text()) ?? [];
  expect((await fetch(`${url}${script}`)).status).toBe(200);
  expect(await (await fetch(metricsUrl)).text()).toContain("minutes_build_info");
});

test("search goes by words and by meaning, with the model that the package brings", async () => {
  // Two encoded meetings are enough; on a busy machine all of them take minutes.
  await waitFor(async () => {
    const metrics = await (await fetch(metricsUrl)).text();
    const [, waiting] = /^minutes_meetings_without_vectors (\d+)$/m.exec(metrics) ?? [];
    expect(Number(waiting)).toBeLessThan(FEWER_MEETINGS);
  });
  const { search } = (await (await fetch(`${url}/ready`)).json()) as { search: { mode: string } };
  expect(search.mode).toBe("similarity");
  const input = encodeURIComponent(JSON.stringify({ json: { query: "why was there no alarm at night" } }));
  const headers = { "x-api-key": keys.personalKey };
  const answer = await fetch(`${url}/v1/me/meetings.search?input=${input}`, { headers });
  expect(await answer.text()).toContain("Incident review");
});

test("requests are traced", async () => {
  await waitFor(() => expect(collector.spans.length).toBeGreaterThan(0));
});

test("a sign-in link comes by mail", async () => {
  const [{ email }] = await minutes("users", "list");
  expect((await testBrowser({ url }).write("identity/v1/link.request", { email })).status).toBe(200);
  // The first use of a key also sends an e-mail.
  await waitFor(() => expect(inbox.mails.flatMap(({ to }) => to)).toContain(email));
});

test("a webhook is delivered", async () => {
  const [{ email }] = await minutes("users", "list");
  const webhook = await minutes("webhooks", "create", email, receiver.url);
  expect(await minutes("webhooks", "test", webhook.id)).toMatchObject({ attempts: [{ error: null }] });
  expect(receiver.received).toHaveLength(1);
});

test("assistants reach it", async () => {
  const answer = await fetch(`${url}/mcp`, {
    method: "POST",
    headers: {
      ...{ "content-type": "application/json", accept: "application/json, text/event-stream" },
      "x-api-key": keys.personalKey,
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
  });
  expect(await answer.text()).toContain("inputSchema");
});

test("files are imported, and an encrypted backup can be verified", async () => {
  const [{ email }] = await minutes("users", "list");
  await writeFile(join(installed.folder, "call.vtt"), "WEBVTT\n\n00:00.000 --> 00:04.000\n<v Boris>Hello.\n");
  expect(await minutes("import", "call.vtt", "--owner", email)).toMatchObject({ created: 1 });
  const backup = join(installed.folder, "backup.tar.gz.age");
  await minutes("backup", backup);
  await minutes("backup", "verify", backup);
});

/** Reads the first line with this prefix. */
async function readLine(stream: Readable, begin: string): Promise<string> {
  for await (const line of createInterface({ input: stream })) if (line.startsWith(begin)) return line;
  throw new Error("The server ended before it listened.");
}
