import { AsyncLocalStorage } from "node:async_hooks";
import { once } from "node:events";
import type { IncomingMessage, RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestId, toErrorResponse } from "@minutes/core";
import { type Connection, observeStatements, type StatementObserver } from "@minutes/db";
import type { SimilaritySearch } from "@minutes/search";
import type { Logger } from "pino";
import type { Config } from "../../config/config.js";
import { listen } from "../listen.js";
import { createMetrics, type Metrics } from "./metrics.js";
import type { AnsweredRequest } from "./observe-answers.js";
import { createMetricsHandler, createMetricsServer, type MetricsHandler } from "./serve-metrics.js";
import type { Traces } from "./traces.js";

/** The observers of a process, as configured. Unused ones cost nothing. */
export interface Watch {
  /** Wraps the listener that answers requests. */
  readonly wrap: (listener: RequestListener) => RequestListener;
  readonly onAnswer: ((answer: AnsweredRequest, request: IncomingMessage) => void) | undefined;
  readonly onAttempt: Metrics["onAttempt"] | undefined;
  readonly onFailedDelivery: Metrics["onFailedDelivery"] | undefined;
  readonly traceAuthentication: Traces["traceAuthentication"] | undefined;
  readonly traceDelivery: Traces["traceDelivery"] | undefined;
  /** Serves `/metrics` on the public port; absent unless a token is set. */
  readonly metricsHandler: MetricsHandler | undefined;
  /** Starts serving metrics on their own port, if configured. @throws ListenError */
  readonly listen: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** Observes the statements of a process, and prepares the other observers. */
export async function createWatch(
  config: Config,
  connection: Connection,
  log: Logger,
  similarity?: SimilaritySearch,
): Promise<Watch> {
  const { METRICS_HOST: host, METRICS_PORT: port, METRICS_TOKEN: token } = config;
  const limit = config.SLOW_STATEMENT_MS;
  const slowStatements = limit === undefined ? null : createSlowStatementLog(log, limit);
  const metrics =
    port === undefined && token === undefined
      ? null
      : await createMetrics({
          connection,
          poolSize: config.DATABASE_POOL,
          backupDir: config.BACKUP_DIR ?? null,
          dataDir: config.DATA_DIR,
          searchState: () => similarity?.state() ?? null,
        });
  const traces = await loadTraces(config);
  watchStatements(connection, [slowStatements?.onStatement, metrics?.onStatement, traces?.onStatement]);
  const handler = metrics ? createMetricsHandler(metrics, token, logFailedScrape(log)) : undefined;
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
    onFailedDelivery: metrics?.onFailedDelivery,
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

const logFailedScrape = (log: Logger) => (error: unknown, request: IncomingMessage) =>
  log.error({ requestId: getRequestId(request), fault: toErrorResponse(error).fault }, "scrape failed");

/** Loads the SDK. A process without tracing does not need it. */
async function loadTraces(config: Config): Promise<Traces | null> {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_SERVICE_NAME: serviceName } = config;
  if (endpoint === undefined) return null;
  const { createTraces } = await import("./traces.js");
  return createTraces(endpoint, serviceName);
}

function watchStatements(
  { db, background }: Connection,
  watchers: readonly (StatementObserver | undefined)[],
): void {
  const observers = watchers.filter((observer) => observer !== undefined);
  if (observers.length === 0) return;
  for (const each of new Set([db, background]))
    observeStatements(each, (statement) => {
      for (const observe of observers) observe(statement);
    });
}

/** Logs slow statements. */
interface SlowStatementLog {
  readonly onStatement: StatementObserver;
  /** Wraps the answering listener, so that log lines have the ID of the request that ran the statement. */
  readonly wrap: (listener: RequestListener) => RequestListener;
}

/**
 * Logs the name of each statement that takes `limit` ms or longer, never its text or parameters. Tracking requests
 * through the code slows each call slightly, so it is created only on demand.
 */
function createSlowStatementLog(log: Logger, limit: number): SlowStatementLog {
  const requests = new AsyncLocalStorage<IncomingMessage>();
  return {
    wrap: (listener) => (request, response) => requests.run(request, listener, request, response),
    onStatement: ({ name, milliseconds, failed }) => {
      if (milliseconds < limit) return;
      const request = requests.getStore();
      const requestId = request && getRequestId(request);
      log.warn({ requestId, statement: name, ms: Math.round(milliseconds), failed }, "slow statement");
    },
  };
}
