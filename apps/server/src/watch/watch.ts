import { once } from "node:events";
import type { IncomingMessage, RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { type Connection, observeStatements, type StatementObserver } from "@minutes/db";
import type { SimilaritySearch } from "@minutes/search";
import type { Logger } from "pino";
import type { Env } from "../env.js";
import { listen } from "../listen.js";
import { createMetrics, type Metrics } from "./metrics.js";
import type { AnsweredRequest } from "./observe-answers.js";
import { createMetricsHandler, createMetricsServer, type MetricsHandler } from "./serve-metrics.js";
import { createSlowStatementLog } from "./slow-statements.js";
import type { Traces } from "./traces.js";

/** What watches a process, as its settings say. What is absent costs nothing. */
export interface Watch {
  /** Wraps the listener that answers requests. */
  readonly wrap: (listener: RequestListener) => RequestListener;
  readonly onAnswer: ((answer: AnsweredRequest, request: IncomingMessage) => void) | undefined;
  readonly onAttempt: Metrics["onAttempt"] | undefined;
  readonly traceAuthentication: Traces["traceAuthentication"] | undefined;
  readonly traceDelivery: Traces["traceDelivery"] | undefined;
  /** Answers `/metrics` on the public port; absent unless a token is set. */
  readonly metricsHandler: MetricsHandler | undefined;
  /** Starts to serve metrics on their own port, where one is set. @throws ListenError */
  readonly listen: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

type WatchSettings = Partial<
  Pick<
    Env,
    | "DATABASE_POOL"
    | "METRICS_HOST"
    | "METRICS_PORT"
    | "METRICS_TOKEN"
    | "OTEL_EXPORTER_OTLP_ENDPOINT"
    | "SLOW_STATEMENT_MS"
  >
>;

/** Watches the statements of a process, and prepares to watch what else it does. */
export async function createWatch(
  env: WatchSettings,
  connection: Connection,
  log: Logger,
  similarity?: SimilaritySearch,
): Promise<Watch> {
  const { METRICS_HOST: host = "127.0.0.1", METRICS_PORT: port, METRICS_TOKEN: token } = env;
  const limit = env.SLOW_STATEMENT_MS;
  const slowStatements = limit === undefined ? null : createSlowStatementLog(log, limit);
  const metrics =
    port === undefined && token === undefined
      ? null
      : await createMetrics({
          connection,
          poolSize: env.DATABASE_POOL ?? 0,
          searchState: () => similarity?.state() ?? null,
        });
  const traces = await loadTraces(env.OTEL_EXPORTER_OTLP_ENDPOINT);
  watchStatements(connection, [slowStatements?.onStatement, metrics?.onStatement, traces?.onStatement]);
  const handler = metrics ? createMetricsHandler(metrics, token) : undefined;
  const server = handler && port !== undefined ? createMetricsServer(handler) : null;
  return {
    wrap: (listener) => {
      const followed = slowStatements ? slowStatements.wrap(listener) : listener;
      return traces ? traces.wrap(followed) : followed;
    },
    onAnswer:
      (metrics ?? traces)
        ? (answer, request) => {
            metrics?.onAnswer(answer);
            traces?.onAnswer(answer, request);
          }
        : undefined,
    traceAuthentication: traces?.traceAuthentication,
    traceDelivery: traces?.traceDelivery,
    onAttempt: metrics?.onAttempt,
    metricsHandler: token === undefined ? undefined : handler,
    listen: async () => {
      if (!server || port === undefined) return;
      await listen(server, { HOST: host, PORT: port }, true, "METRICS_");
      const { address, port: listening } = server.address() as AddressInfo;
      log.info({ address, port: listening }, "serving metrics");
    },
    stop: async () => {
      await traces?.stop().catch(() => {}); // the collector may be away
      if (!server?.listening) return;
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Loads the SDK, which a process that is not traced does without. */
async function loadTraces(endpoint: string | undefined): Promise<Traces | null> {
  if (endpoint === undefined) return null;
  const { createTraces } = await import("./traces.js");
  return createTraces(endpoint);
}

function watchStatements({ db }: Connection, watchers: readonly (StatementObserver | undefined)[]): void {
  const observers = watchers.filter((observer) => observer !== undefined);
  if (observers.length === 0) return;
  observeStatements(db, (statement) => {
    for (const observe of observers) observe(statement);
  });
}
