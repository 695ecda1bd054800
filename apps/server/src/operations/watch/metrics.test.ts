import { readFile, rm, writeFile } from "node:fs/promises";
import type { Connection } from "@minutes/db";
import { temporaryDir, waitFor } from "@minutes/testing";
import pino from "pino";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { parseConfig } from "../../config/config.js";
import { startTestServer, type TestServer } from "../../testing/index.js";
import { nameBackup } from "../backup/folder.js";
import { METRICS } from "./definitions.js";
import { createMetrics } from "./metrics.js";
import { lintMetric, parseExposition, type Scraped } from "./testing/exposition.js";
import { createWatch } from "./watch.js";

const TOKEN = "a-long-enough-token";
const readProjectFile = (path: string) =>
  readFile(new URL(`../../../../../${path}`, import.meta.url), "utf8");

let server: TestServer;
let key: string;
beforeAll(async () => {
  server = await startTestServer({ watch: { METRICS_TOKEN: TOKEN }, rateLimit: 20 });
  ({ key } = await server.given.person());
});
afterAll(() => server.close());

const ask = (authorization?: string, url = server.url) =>
  fetch(`${url}/metrics`, { headers: authorization === undefined ? {} : { authorization } });
async function scrape(): Promise<Map<string, Scraped>> {
  const answer = await ask(`Bearer ${TOKEN}`);
  expect(answer.status).toBe(200);
  return parseExposition(await answer.text());
}
/** Waits until a sample is at least 1. */
const waitForSample = (metric: string, sample: string) =>
  waitFor(async () => {
    expect((await scrape()).get(metric)?.samples.get(sample) ?? 0, sample).toBeGreaterThanOrEqual(1);
  });

describe("/metrics of the service", () => {
  test.each([
    ["no token", undefined],
    ["another token", "Bearer another-long-token"],
    ["the token in another scheme", `Basic ${TOKEN}`],
    ["an empty token", "Bearer "],
  ])("404: the answer of an unknown path, for %s", async (_name, authorization) => {
    const answer = await ask(authorization);
    const unknown = await fetch(`${server.url}/nothing`);
    expect([answer.status, await answer.text()]).toEqual([404, await unknown.text()]);
  });

  test("404: no token is set", async () => {
    const other = await startTestServer({ database: server.database });
    onTestFinished(() => other.close());
    expect((await ask(`Bearer ${TOKEN}`, other.url)).status).toBe(404);
    expect((await ask("Bearer undefined", other.url)).status).toBe(404);
  });

  test("200: text that follows the conventions of Prometheus", async () => {
    const answer = await ask(`Bearer ${TOKEN}`);
    expect(answer.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
    const metrics = parseExposition(await answer.text());
    expect(
      [...metrics].flatMap(([name, metric]) => (name.startsWith("minutes_") ? lintMetric(name, metric) : [])),
    ).toEqual([]);
    expect([...metrics.keys()]).toEqual(expect.arrayContaining(Object.keys(METRICS)));
    expect(metrics.has("nodejs_eventloop_lag_p99_seconds")).toBe(true);
    expect(metrics.has("process_resident_memory_bytes")).toBe(true);
  });
});

describe("metrics", () => {
  test("count calls by route, procedure and status, and their statements", async () => {
    const { key } = await server.given.person();
    await server.call(key, "me/meetings.list");
    await server.call(key, "me/meetings.search", { query: "turbine" });
    const labels = 'route="/v1/me",procedure="meetings.list"';
    await waitForSample("minutes_http_requests_total", `minutes_http_requests_total{${labels},status="200"}`);
    await waitForSample(
      "minutes_http_request_duration_seconds",
      `minutes_http_request_duration_seconds_bucket{le="+Inf",${labels}}`,
    );
    await waitForSample(
      "minutes_statement_duration_seconds",
      'minutes_statement_duration_seconds_count{statement="verify_keys"}',
    );
    await waitForSample(
      "minutes_search_duration_seconds",
      'minutes_search_duration_seconds_count{mode="words"}',
    );
  });

  test("count unknown procedures and paths as one, so that clients can't add labels", async () => {
    await server.call(key, "me/meetings.invented");
    await fetch(`${server.url}/invented`);
    await waitForSample(
      "minutes_http_requests_total",
      'minutes_http_requests_total{route="/v1/me",procedure="unknown",status="404"}',
    );
    await waitForSample(
      "minutes_http_requests_total",
      'minutes_http_requests_total{route="other",procedure="unknown",status="404"}',
    );
    expect(await (await ask(`Bearer ${TOKEN}`)).text()).not.toContain("invented");
  });

  test("count refusals by their reason", async () => {
    await server.call("jk_wrong", "me/meetings.list");
    const { key } = await server.given.person();
    while ((await server.call(key, "me/tags.list")).status !== 429);
    for (const reason of ["credential", "quota"])
      await waitForSample(
        "minutes_refused_requests_total",
        `minutes_refused_requests_total{reason="${reason}"}`,
      );
  });

  test("count attempts by their outcome", async () => {
    const metrics = await createMetrics({
      connection: server.connection,
      poolSize: 1,
      searchState: () => null,
    });
    metrics.onAttempt({ status: 200, error: null, milliseconds: 20 });
    metrics.onAttempt({ status: null, error: "timeout", milliseconds: 30_000 });
    const { samples } = parseExposition(await metrics.scrape()).get("minutes_delivery_attempts_total") ?? {};
    expect([...(samples ?? [])]).toEqual([
      ['minutes_delivery_attempts_total{outcome="delivered"}', 1],
      ['minutes_delivery_attempts_total{outcome="timeout"}', 1],
    ]);
  });

  test("count failed deliveries and report free disk space", async () => {
    const connection = { engine: "embedded", db: {} } as Connection;
    const dataDir = await temporaryDir();
    const metrics = await createMetrics({ connection, poolSize: 0, dataDir, searchState: () => null });
    metrics.onFailedDelivery();
    metrics.onFailedDelivery();
    const scraped = parseExposition(await metrics.scrape());
    const value = (name: string) => scraped.get(name)?.samples.get(name);
    expect(value("minutes_failed_deliveries_total")).toBe(2);
    expect(value("minutes_disk_free_bytes")).toBeGreaterThan(0);
    await rm(dataDir, { recursive: true });
    expect([
      ...(parseExposition(await metrics.scrape()).get("minutes_disk_free_bytes")?.samples ?? []),
    ]).toEqual([]);
  });

  test("report the queues in the database", async () => {
    let gauges = await scrape();
    const value = (name: string, sample = name) => gauges.get(name)?.samples.get(sample);
    // Metrics wait two seconds for a database, which can be too short on a busy machine.
    await waitFor(async () => {
      gauges = await scrape();
      expect(value("minutes_database_up")).toBe(1);
    });
    expect(value("minutes_database_size_bytes")).toBeGreaterThan(1_000_000);
    expect(value("minutes_deliveries", 'minutes_deliveries{state="pending"}')).toBe(0);
    expect(value("minutes_oldest_due_delivery_seconds")).toBe(0);
    expect(value("minutes_recordings", 'minutes_recordings{state="failed"}')).toBe(0);
  });

  test("say how old the newest backup is", async () => {
    const backupDir = await temporaryDir();
    const connection = { engine: "embedded", db: {} } as Connection;
    const metrics = await createMetrics({ connection, poolSize: 0, backupDir, searchState: () => null });
    const name = "minutes_backup_age_seconds";
    const age = async () =>
      parseExposition(await metrics.scrape())
        .get(name)
        ?.samples.get(name);
    expect(await age()).toBe(Number.POSITIVE_INFINITY);
    await writeFile(nameBackup(backupDir, new Date(Date.now() - 3_600_000), false), "");
    expect(await age()).toBeGreaterThanOrEqual(3_600);
    const without = await createMetrics({ connection, poolSize: 0, searchState: () => null });
    expect([...(parseExposition(await without.scrape()).get(name)?.samples ?? [])]).toEqual([]);
  });

  test("200: while the database fails, with minutes_database_up 0 and without database metrics", async () => {
    const connection = { engine: "postgres", db: {} } as Connection;
    const metrics = await createMetrics({ connection, poolSize: 7, searchState: () => null });
    const scraped = parseExposition(await metrics.scrape());
    expect(scraped.get("minutes_database_up")?.samples.get("minutes_database_up")).toBe(0);
    expect(
      scraped.get("minutes_database_pool_connections")?.samples.get("minutes_database_pool_connections"),
    ).toBe(7);
    for (const name of [
      "minutes_database_size_bytes",
      "minutes_deliveries",
      "minutes_oldest_due_delivery_seconds",
    ])
      expect([...(scraped.get(name)?.samples ?? [])]).toEqual([]);
  });
});

test("METRICS_PORT serves metrics on this machine alone, on a port of its own", async () => {
  const log: string[] = [];
  const logger = pino({ base: null }, { write: (line: string) => void log.push(line) });
  // Statements are reported to what watches a connection last.
  const { connection, close } = await startTestServer();
  onTestFinished(close);
  const watch = await createWatch({ ...parseConfig({}), METRICS_PORT: 0 }, connection, logger);
  await watch.listen();
  onTestFinished(() => watch.stop());
  const { address, port } = JSON.parse(log[0] ?? "{}");
  expect(address).toBe("127.0.0.1");
  const url = `http://127.0.0.1:${port}`;
  expect((await ask(undefined, url)).status).toBe(200);
  expect((await fetch(`${url}/v1/me/meetings.list`)).status).toBe(404);
  const taken = await createWatch({ ...parseConfig({}), METRICS_PORT: port }, connection, logger);
  await expect(taken.listen()).rejects.toThrow(
    `Port ${port} on 127.0.0.1 is in use, by another program or a Minutes server that runs already. Stop it, or choose another METRICS_PORT.`,
  );
});

test("the documentation lists exactly the existing metrics", async () => {
  const rows = (await readProjectFile("docs/watching.md")).match(/^\| `minutes_.*$/gm);
  const expected = Object.entries(METRICS).map(([name, { type, help, ...rest }]) => {
    const labels = "labels" in rest ? rest.labels.map((label) => `\`${label}\``).join(", ") : "";
    return `| \`${name}\` | ${type} | ${labels} | ${help} |`;
  });
  expect(rows).toEqual(expected);
});

test.each(["deploy/prometheus/alerts.yaml", "deploy/grafana/minutes.json"])(
  "%s asks for metrics that exist, with labels that they have",
  async (path) => {
    const text = (await readProjectFile(path)).replaceAll('\\"', '"');
    const scraped = await scrape();
    const asked = [...text.matchAll(/\b((?:minutes|nodejs|process)_[a-z0-9_]+)(?:\{([^}]*)\})?/g)];
    expect(asked.length).toBeGreaterThan(10);
    for (const [, sample = "", selectors = ""] of asked) {
      const name = [sample, sample.replace(/_(bucket|sum|count)$/, "")].find((each) => scraped.has(each));
      expect(name, `${path}: ${sample}`).toBeDefined();
      const definition = METRICS[name as keyof typeof METRICS] as { labels?: readonly string[] } | undefined;
      for (const [, label = ""] of selectors.matchAll(/(\w+)[=!]~?"/g))
        expect(definition?.labels, `${path}: ${sample}`).toContain(label);
    }
  },
);

test.each([
  ["webhooks are paused", "minutes_paused_webhooks"],
  ["the newest backup is old", "minutes_backup_age_seconds"],
  ["the disk is nearly full", "minutes_disk_free_bytes"],
  ["deliveries failed for good", "minutes_failed_deliveries_total"],
  ["retention makes no progress", "minutes_retention_overdue_seconds"],
])("an alert says that %s", async (_name, metric) => {
  const alerts = (await readProjectFile("deploy/prometheus/alerts.yaml")).split(/^ {6}- alert: /m).slice(1);
  const expressions = alerts.map((alert) => /^ {8}expr: ([\s\S]*?)\n {8}\w/m.exec(alert)?.[1]);
  expect(expressions).not.toContain(undefined);
  expect(expressions.filter((expression) => expression?.includes(metric))).toHaveLength(1);
});
