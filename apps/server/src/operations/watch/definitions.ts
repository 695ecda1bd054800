/** Definition of a metric. Names follow Prometheus conventions: base units, `_total` for counters. */
interface Definition {
  readonly type: "counter" | "gauge" | "histogram";
  readonly help: string;
  readonly labels?: readonly string[];
  /** Upper bounds of a histogram's buckets, in seconds. */
  readonly buckets?: readonly number[];
}

const REQUEST_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const STATEMENT_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];
const ATTEMPT_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/**
 * All metrics of Minutes; those of Node.js and the process come from the library. Every label has a fixed set of
 * values: no id, name or address.
 * @see docs/decisions/0190-observability.md
 */
export const METRICS = {
  minutes_http_requests_total: {
    type: "counter",
    help: "Answered requests.",
    labels: ["route", "procedure", "status"],
  },
  minutes_http_request_duration_seconds: {
    type: "histogram",
    help: "Time from a request's headers to the end of its answer.",
    labels: ["route", "procedure"],
    buckets: REQUEST_SECONDS,
  },
  minutes_refused_requests_total: {
    type: "counter",
    help: "Requests refused before their procedure ran.",
    labels: ["reason"],
  },
  minutes_statement_duration_seconds: {
    type: "histogram",
    help: "Duration of a named statement or transaction, including the wait for a connection.",
    labels: ["statement"],
    buckets: STATEMENT_SECONDS,
  },
  minutes_statement_failures_total: {
    type: "counter",
    help: "Named statements and transactions that failed.",
    labels: ["statement"],
  },
  minutes_search_duration_seconds: {
    type: "histogram",
    help: "Duration of search statements.",
    labels: ["mode"],
    buckets: STATEMENT_SECONDS,
  },
  minutes_delivery_attempts_total: {
    type: "counter",
    help: "Webhook delivery attempts.",
    labels: ["outcome"],
  },
  minutes_failed_deliveries_total: {
    type: "counter",
    help: "Webhook deliveries that have used up their attempts.",
  },
  minutes_delivery_attempt_duration_seconds: {
    type: "histogram",
    help: "Duration of webhook delivery attempts.",
    buckets: ATTEMPT_SECONDS,
  },
  minutes_search_mode: {
    type: "gauge",
    help: "1 for the current search mode of this process.",
    labels: ["mode"],
  },
  minutes_build_info: {
    type: "gauge",
    help: "1, with versions as labels.",
    labels: ["version", "engine", "node"],
  },
  minutes_database_pool_connections: {
    type: "gauge",
    help: "Maximum PostgreSQL connections of this process; PostgreSQL only.",
  },
  minutes_backup_age_seconds: {
    type: "gauge",
    help: "Age of the newest backup in BACKUP_DIR, +Inf if there is none; embedded database only.",
  },
  minutes_disk_free_bytes: {
    type: "gauge",
    help: "Free disk space of DATA_DIR; embedded database only.",
  },
  minutes_database_up: {
    type: "gauge",
    help: "1 if the database answered the last scrape in time. Otherwise the metrics below are absent.",
  },
  minutes_database_size_bytes: { type: "gauge", help: "Size of the database." },
  minutes_database_connections: {
    type: "gauge",
    help: "Connections of all processes of the installation; PostgreSQL only.",
    labels: ["state"],
  },
  minutes_oldest_write_transaction_seconds: {
    type: "gauge",
    help: "Age of the oldest writing transaction, which delays the change feed; 0 if there is none.",
  },
  minutes_deliveries: {
    type: "gauge",
    help: "Pending webhook deliveries, counted up to 100,000.",
    labels: ["state"],
  },
  minutes_oldest_due_delivery_seconds: {
    type: "gauge",
    help: "Time since the oldest unclaimed delivery became due; 0 if there is none.",
  },
  minutes_paused_webhooks: { type: "gauge", help: "Webhooks paused after too many failures." },
  minutes_recordings: {
    type: "gauge",
    help: "Unfinished recordings, counted up to 100,000.",
    labels: ["state"],
  },
  minutes_retention_overdue_seconds: {
    type: "gauge",
    help: "Time since a run of retention rules was due that did not take place or failed; 0 if there is none.",
  },
  minutes_meetings_without_vectors: {
    type: "gauge",
    help: "Meetings without vectors of the current model, found by words only, counted up to 100,000.",
  },
} as const satisfies Readonly<Record<`minutes_${string}`, Definition>>;

export type MetricName = keyof typeof METRICS;
