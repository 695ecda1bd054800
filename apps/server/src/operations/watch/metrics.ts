import { statfs } from "node:fs/promises";
import type { AttemptOutcome } from "@minutes/core";
import type { Connection, FinishedStatement } from "@minutes/db";
import type { SimilarityState } from "@minutes/search";
import type { Counter, Gauge, Histogram, Registry } from "prom-client";
import manifest from "../../../package.json" with { type: "json" };
import { getBackupAge } from "../backup/folder.js";
import { METRICS, type MetricName } from "./definitions.js";
import type { AnsweredRequest } from "./observe-answers.js";
import { startQueueGauges } from "./queue-gauges.js";

export interface MetricsOptions {
  readonly connection: Connection;
  /** Pool size of this process. */
  readonly poolSize: number;
  /** The backup directory; null if no backups are made. */
  readonly backupDir?: string | null;
  /** The embedded database's directory; null if its free space is not measured. */
  readonly dataDir?: string | null;
  /** Returns the search mode; null in a process that answers no calls. */
  readonly searchState: () => SimilarityState | null;
}

/** Collects a process's metrics. None of the functions throws. */
export interface Metrics {
  readonly onAnswer: (answer: AnsweredRequest) => void;
  readonly onStatement: (statement: FinishedStatement) => void;
  readonly onAttempt: (outcome: AttemptOutcome) => void;
  /** Counts a delivery that has used up its attempts. */
  readonly onFailedDelivery: () => void;
  /** Writes all metrics in Prometheus text format. Never fails because of the database. */
  readonly scrape: () => Promise<string>;
  readonly contentType: string;
}

/** Loads the library and creates all metrics of METRICS. */
async function createRegistry(): Promise<Registry> {
  // In the bundle, CommonJS modules only have a default export.
  const { default: library } = await import("prom-client");
  const registry = new library.Registry();
  library.collectDefaultMetrics({ register: registry });
  const make = { counter: library.Counter, gauge: library.Gauge, histogram: library.Histogram };
  for (const [name, { type, help, ...rest }] of Object.entries(METRICS)) {
    const labelNames = "labels" in rest ? [...rest.labels] : [];
    const buckets = "buckets" in rest ? { buckets: [...rest.buckets] } : {};
    new make[type]({ name, help, labelNames, registers: [registry], ...buckets });
  }
  return registry;
}

/** Creates the metrics. A process without scraping does not, and does not load their library. */
export async function createMetrics(options: MetricsOptions): Promise<Metrics> {
  const { connection, poolSize, searchState, backupDir = null, dataDir = null } = options;
  const registry = await createRegistry();
  const find = <Metric>(name: MetricName) => registry.getSingleMetric(name) as Metric;
  const counter = (name: MetricName) => find<Counter>(name);
  const gauge = (name: MetricName) => find<Gauge>(name);
  const histogram = (name: MetricName) => find<Histogram>(name);

  const requests = counter("minutes_http_requests_total");
  const requestSeconds = histogram("minutes_http_request_duration_seconds");
  const refused = counter("minutes_refused_requests_total");
  const statementSeconds = histogram("minutes_statement_duration_seconds");
  const statementFailures = counter("minutes_statement_failures_total");
  const searchSeconds = histogram("minutes_search_duration_seconds");
  const attempts = counter("minutes_delivery_attempts_total");
  const failedDeliveries = counter("minutes_failed_deliveries_total");
  const attemptSeconds = histogram("minutes_delivery_attempt_duration_seconds");
  const searchMode = gauge("minutes_search_mode");
  const { engine } = connection;
  gauge("minutes_build_info").set({ version: manifest.version, engine, node: process.versions.node }, 1);
  const pool = gauge("minutes_database_pool_connections");
  if (engine === "postgres") pool.set(poolSize);
  else pool.remove({});
  for (const reason of ["credential", "failures", "quota"]) refused.inc({ reason }, 0);
  const backupAge = gauge("minutes_backup_age_seconds");
  backupAge.remove({});
  const diskFree = gauge("minutes_disk_free_bytes");
  diskFree.remove({});
  const refreshQueues = startQueueGauges(connection, gauge);

  return {
    contentType: registry.contentType,
    onAnswer: ({ route, procedure, status, refusal, milliseconds }) => {
      const labels = { route, procedure: procedure ?? "unknown" };
      requests.inc({ ...labels, status });
      requestSeconds.observe(labels, milliseconds / 1000);
      if (refusal !== null) refused.inc({ reason: refusal });
    },
    onStatement: ({ name, milliseconds, failed }) => {
      const seconds = milliseconds / 1000;
      statementSeconds.observe({ statement: name }, seconds);
      if (failed) statementFailures.inc({ statement: name });
      const mode = name.startsWith("search_") ? toSearchMode(name) : null;
      if (mode !== null) searchSeconds.observe({ mode }, seconds);
    },
    onAttempt: ({ error, milliseconds }) => {
      attempts.inc({ outcome: error ?? "delivered" });
      attemptSeconds.observe(milliseconds / 1000);
    },
    onFailedDelivery: () => failedDeliveries.inc(),
    scrape: async () => {
      await refreshQueues();
      if (backupDir !== null && engine === "embedded") backupAge.set(await getBackupAge(backupDir));
      if (dataDir !== null && engine === "embedded") {
        const disk = await statfs(dataDir).catch(() => null);
        if (disk) diskFree.set(disk.bavail * disk.bsize);
        else diskFree.remove({});
      }
      const state = searchState();
      for (const mode of ["similarity", "words", "failing"] as const)
        if (state) searchMode.set({ mode }, state.mode === mode ? 1 : 0);
      return registry.metrics();
    },
  };
}

/** Derives the search mode from the name of a search statement; null for other statements. */
function toSearchMode(name: string): "meaning" | "words" | null {
  if (/_similar(_segments)?$/.test(name)) return "meaning";
  return /_words(_segments)?$/.test(name) ? "words" : null;
}
