/** What a metric measures. Names follow the conventions of Prometheus: base units, `_total` for counters. */
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
 * All metrics of Minutes; those of Node.js and the process come with the library. Every label has a fixed list of values:
 * no id, name or address is one.
 * @see docs/decisions/0190-metrics.md
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
    help: "Time of a named statement or a transaction, with the wait for a connection.",
    labels: ["statement"],
    buckets: STATEMENT_SECONDS,
  },
  minutes_statement_failures_total: {
    type: "counter",
    help: "Named statements and transactions that failed.",
    labels: ["statement"],
  },
  minutes_database_wait_seconds: {
    type: "histogram",
    help: "Time for which one named statement in 16 waited for a connection of the pool; PostgreSQL only.",
    buckets: STATEMENT_SECONDS,
  },
  minutes_search_duration_seconds: {
    type: "histogram",
    help: "Time of the statement of a search.",
    labels: ["mode"],
    buckets: STATEMENT_SECONDS,
  },
  minutes_delivery_attempts_total: {
    type: "counter",
    help: "Attempts at webhook deliveries.",
    labels: ["outcome"],
  },
  minutes_delivery_attempt_duration_seconds: {
    type: "histogram",
    help: "Time of an attempt at a webhook delivery.",
    buckets: ATTEMPT_SECONDS,
  },
  minutes_search_mode: {
    type: "gauge",
    help: "1 for how this process searches at the moment.",
    labels: ["mode"],
  },
  minutes_build_info: {
    type: "gauge",
    help: "1, with what runs as labels.",
    labels: ["version", "engine", "node"],
  },
  minutes_database_pool_connections: {
    type: "gauge",
    help: "Most connections to PostgreSQL that this process opens; PostgreSQL only.",
  },
  minutes_database_up: {
    type: "gauge",
    help: "1 if the database answered the last scrape in time. The metrics below are absent while it does not.",
  },
  minutes_database_size_bytes: { type: "gauge", help: "Size of the database." },
  minutes_database_connections: {
    type: "gauge",
    help: "Connections of all processes of the installation; PostgreSQL only.",
    labels: ["state"],
  },
  minutes_oldest_write_transaction_seconds: {
    type: "gauge",
    help: "Age of the oldest transaction that writes, which delays the change feed; 0 when there is none.",
  },
  minutes_deliveries: {
    type: "gauge",
    help: "Webhook deliveries that wait, counted up to 100,000.",
    labels: ["state"],
  },
  minutes_oldest_due_delivery_seconds: {
    type: "gauge",
    help: "Time for which the oldest due delivery has been due and nobody sends it; 0 when there is none.",
  },
  minutes_paused_webhooks: { type: "gauge", help: "Webhooks that are paused because they failed too long." },
  minutes_recordings: {
    type: "gauge",
    help: "Recordings that are not completed, counted up to 100,000.",
    labels: ["state"],
  },
  minutes_meetings_without_vectors: {
    type: "gauge",
    help: "Meetings that search finds by words alone until they have vectors, counted up to 100,000.",
  },
} as const satisfies Readonly<Record<`minutes_${string}`, Definition>>;

export type MetricName = keyof typeof METRICS;
