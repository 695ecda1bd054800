import { measureFeedDelay } from "@minutes/core";
import { type Connection, withTimeout } from "@minutes/db";
import type { Gauge } from "prom-client";
import type { MetricName } from "./definitions.js";
import { type Queues, readQueues } from "./queues.js";

/** Time in ms for which a reading is reused by further scrapes. */
const FRESH = 5_000;
/** Timeout of the database's answer, in ms. */
const PATIENCE = 2_000;

/** A reading of the queues: metric, labels, value. */
type Sample = readonly [name: MetricName, labels: Readonly<Record<string, string>>, value: number];

const toSamples = (queues: Queues & { readonly feedDelay: number }): Sample[] => [
  ["minutes_database_size_bytes", {}, queues.databaseBytes],
  ["minutes_database_connections", { state: "active" }, queues.connectionsActive],
  ["minutes_database_connections", { state: "in_transaction" }, queues.connectionsInTransaction],
  ["minutes_database_connections", { state: "idle" }, queues.connectionsIdle],
  ["minutes_oldest_write_transaction_seconds", {}, queues.feedDelay],
  ["minutes_deliveries", { state: "pending" }, queues.deliveriesPending],
  ["minutes_deliveries", { state: "held" }, queues.deliveriesHeld],
  ["minutes_oldest_due_delivery_seconds", {}, queues.oldestDueDelivery],
  ["minutes_paused_webhooks", {}, queues.webhooksPaused],
  ["minutes_recordings", { state: "recording" }, queues.recordingsRecording],
  ["minutes_recordings", { state: "processing" }, queues.recordingsProcessing],
  ["minutes_recordings", { state: "failed" }, queues.recordingsFailed],
  ["minutes_retention_overdue_seconds", {}, queues.retentionOverdue],
  ["minutes_meetings_without_vectors", {}, queues.meetingsWithoutVectors],
];

/** Metrics that are absent while the database does not answer. */
const DATABASE_METRICS = [
  "minutes_database_size_bytes",
  "minutes_database_connections",
  "minutes_oldest_write_transaction_seconds",
  "minutes_deliveries",
  "minutes_oldest_due_delivery_seconds",
  "minutes_paused_webhooks",
  "minutes_recordings",
  "minutes_retention_overdue_seconds",
  "minutes_meetings_without_vectors",
] as const satisfies readonly MetricName[];

/**
 * Creates the gauges read from the database.
 * @returns a function that refreshes them and never fails: while the database does not answer, they are absent and
 * `minutes_database_up` is 0
 */
export function startQueueGauges(
  { db, engine }: Pick<Connection, "db" | "engine">,
  getGauge: (name: MetricName) => Gauge,
): () => Promise<void> {
  const up = getGauge("minutes_database_up");
  let reading: Promise<readonly Sample[]> | null = null;
  let refreshing: Promise<void> | null = null;
  let readAt = Number.NEGATIVE_INFINITY;

  const read = async (): Promise<readonly Sample[]> => {
    const [queues, feedDelay] = await Promise.all([readQueues(db), measureFeedDelay(db)]);
    return toSamples({ ...queues, feedDelay });
  };
  const refresh = async () => {
    // A hung database is not queried again before it has answered.
    reading ??= read()
      .catch(() => [])
      .finally(() => {
        reading = null;
      });
    const samples = await withTimeout(reading, PATIENCE, () => []);
    up.set(samples.length > 0 ? 1 : 0);
    for (const name of DATABASE_METRICS) {
      getGauge(name).reset();
      getGauge(name).remove({}); // a reset leaves metrics without labels
    }
    for (const [name, labels, value] of samples)
      if (engine === "postgres" || name !== "minutes_database_connections") getGauge(name).set(labels, value);
    readAt = performance.now();
  };
  return async () => {
    if (performance.now() - readAt < FRESH) return;
    refreshing ??= refresh().finally(() => {
      refreshing = null;
    });
    await refreshing;
  };
}
