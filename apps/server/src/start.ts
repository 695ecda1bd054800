import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { MESSAGES } from "@minutes/contract";
import {
  type DeliveryWorker,
  type Mailer,
  startAuditPurge,
  startExpiryNotices,
  startRateWindowPurge,
  startRecordingExpiry,
  startSyncPurge,
  toErrorResponse,
} from "@minutes/core";
import { withTimeout } from "@minutes/db";
import { countOutdated, setSearchLanguage } from "@minutes/search";
import type { Logger } from "pino";
import { createApp, createChangeSignal, REQUEST_DEADLINE } from "./app.js";
import { startScheduledBackups } from "./backup/schedule.js";
import { describeFirstLink, describeSample, FIRST_STEPS } from "./banner.js";
import { describeData } from "./cli/data.js";
import { DEFAULT_CONNECTION_LIMITS, PROXIED_CONNECTION_LIMITS } from "./connection-limits.js";
import { createMailer, startDeliveries } from "./deliver.js";
import { type Sample, syncSample } from "./demo/keys-file.js";
import { isEmpty, loadSample } from "./demo/load.js";
import { createDrainable } from "./drain.js";
import { type Env, SettingsError } from "./env.js";
import { createFirstLink } from "./first-link.js";
import { createHttpServer } from "./http-server.js";
import { listen } from "./listen.js";
import { createLog } from "./log.js";
import { isLoopback } from "./loopback.js";
import { type OpenDatabase, openDatabase } from "./open-database.js";
import { serveOperator } from "./operator/serve.js";
import { startRecordingProcessor } from "./process-recordings.js";
import { toServerUrl } from "./server-url.js";
import { createSimilaritySearch } from "./similarity.js";
import type { SwitchableSearch } from "./switchable-search.js";
import { describeUnknownSetting, findUnknownSettings } from "./unknown-settings.js";
import { createWatch, type Watch } from "./watch/watch.js";

/** Where the console's build is, seen from the source and from the bundle alike. */
const CONSOLE_DIRECTORY = fileURLToPath(new URL("../../console/dist", import.meta.url));

/** Milliseconds by which a statement is cancelled before its request's deadline. */
const STATEMENT_MARGIN = 250;
/** Milliseconds for closing the database before the process ends regardless: connections to a frozen one never close. */
const CLOSE_TIMEOUT = 1_000;
/**
 * A signal is only taken as a second one after so many milliseconds: Ctrl-C reaches every process of the terminal, and
 * pnpm passes its own on, so that one keystroke arrives twice.
 */
const SAME_SIGNAL = 1_000;

/** What a process does: answer calls, deliver webhooks, or both. Only PostgreSQL lets several share the work. */
export const ROLES = ["api", "worker"] as const;
export type Role = (typeof ROLES)[number];

/**
 * Runs the server until SIGTERM, SIGINT or SIGHUP, then stops it without failing a request, within 10 seconds; a webhook
 * delivery that is under way may take its own time limit, 35 seconds in all. A second signal ends the process at once.
 * @throws DataDirLockedError, SchemaNewerError, ListenError, SettingsError
 */
export async function start(env: Env, options: { json: boolean; role?: Role }): Promise<void> {
  if (options.role === "worker") return runWorker(env);
  if (env.BACKUP_EVERY !== undefined && env.DATABASE_URL !== undefined)
    throw new SettingsError("BACKUP_EVERY is for the embedded database: back PostgreSQL up with pg_dump.");
  const log = createLog(env);
  exitOnFault(log);
  const stopSignal = waitForSignal();
  for (const setting of findUnknownSettings(process.env)) log.warn(describeUnknownSetting(setting));

  const database = await openDatabase(env, {
    statementTimeout: REQUEST_DEADLINE - STATEMENT_MARGIN,
    onEvent: (event) => {
      if (event === "aborted") log.error("the embedded database stopped: is the disk full?");
      else log.info("the embedded database works again");
    },
  });
  let similarity: SwitchableSearch;
  let watch: Watch;
  try {
    if (env.SEARCH_LANGUAGE !== undefined && !(await setSearchLanguage(database.db, env.SEARCH_LANGUAGE)))
      throw new SettingsError(MESSAGES.unknownSearchLanguage);
    similarity = await createSimilaritySearch(env, database.connection, log);
    watch = await createWatch(env, database.connection, log, similarity);
  } catch (error) {
    await database.close();
    throw error;
  }
  let accepting = true;
  const processing = startRecordingProcessor(env, database.db, log);
  const changes = createChangeSignal(database.connection, log);
  const mailer = createMailer(env);
  const app = createApp({
    connection: database.connection,
    changes,
    env,
    log,
    similarity,
    accepting: () => accepting,
    summaries: processing.summaries,
    webhooks: database.webhooks,
    publicUrl: database.publicUrl.get,
    mailer,
    consoleDirectory: env.CONSOLE === "on" ? CONSOLE_DIRECTORY : null,
    onAnswer: watch.onAnswer,
    traceAuthentication: watch.traceAuthentication,
    metrics: watch.metricsHandler,
  });
  const limits = env.TRUST_PROXY ? PROXIED_CONNECTION_LIMITS : DEFAULT_CONNECTION_LIMITS;
  const { server, drain } = createDrainable(watch.wrap(app), (listener) =>
    createHttpServer(listener, limits),
  );
  let sample: Sample | null;
  let worker: DeliveryWorker | null;
  try {
    sample = await loadOrReadSample(database, env);
    await listen(server, env, Boolean(process.env.PORT));
    await watch.listen();
    const { address, port } = server.address() as AddressInfo;
    if (env.PORT !== 0 && port !== env.PORT)
      log.warn(`port ${env.PORT} is in use by another program: this server listens on ${port}`);
    database.publicUrl.setListeningAddress(address, port);
    worker = options.role === "api" ? null : await startDeliveries(database, env, log, watch);
  } catch (error) {
    // What listens already would keep the process, and answer without a database.
    server.close();
    server.closeAllConnections();
    await watch.stop();
    await database.close();
    throw error;
  }
  const { port } = server.address() as AddressInfo;
  const operator = serveOperator({ ...database, port, search: similarity }, (fault) =>
    log.error({ fault }, "command failed"),
  );
  database.lock?.serve(operator.listener);
  await printBanner(server, database, sample, options.json);
  log.info({ engine: database.connection.engine }, "listening");
  const stopEmbedding = similarity.startEmbedding(database.db);
  const auditPurge = startAuditPurge(database.db, env.AUDIT_LOG_DAYS, (error) =>
    log.error({ fault: toErrorResponse(error).fault }, "audit log purge failed"),
  );
  const recordingExpiry = startRecordingExpiry(database.db, env.RECORDING_DAYS, (error) =>
    log.error({ fault: toErrorResponse(error).fault }, "expiry of recordings failed"),
  );
  const expiryNotices = startMailsAboutKeys(database, mailer, log);
  const rateWindowPurge = startRateWindowPurge(database.db, (error) =>
    log.error({ fault: toErrorResponse(error).fault }, "purge of quota windows failed"),
  );
  const syncPurge = startSyncPurge(database.db, (error) =>
    log.error({ fault: toErrorResponse(error).fault }, "purge of the change feed failed"),
  );
  const { BACKUP_DIR: directory, BACKUP_EVERY: every } = env;
  const backups =
    every === undefined || directory === undefined ? null : startScheduledBackups({ directory, every }, log);
  const outdated = await countOutdated(database.db);
  if (outdated > 0)
    log.warn({ outdated }, "meetings are indexed by older settings: run `pnpm minutes reindex`");

  const signal = await stopSignal;
  accepting = false;
  log.info({ signal }, "stopping");
  await Promise.all([backups?.stop(), changes.stop(), drain(), worker?.stop()]);
  await close(
    database,
    operator.stop,
    processing.worker.stop,
    stopEmbedding,
    auditPurge.stop,
    recordingExpiry.stop,
    rateWindowPurge.stop,
    expiryNotices?.stop,
    syncPurge.stop,
    watch.stop,
  );
  log.info("stopped");
  // Whatever is still pending belongs to requests that were cut at their limit.
  process.exit(0);
}

/** Runs a process that only delivers webhooks and mails, until one of the signals above. */
async function runWorker(env: Env): Promise<void> {
  const log = createLog(env);
  exitOnFault(log);
  const stopSignal = waitForSignal();
  const database = await openDatabase(env, { statementTimeout: REQUEST_DEADLINE - STATEMENT_MARGIN });
  const watch = await createWatch(env, database.connection, log);
  let worker: DeliveryWorker | null;
  try {
    await watch.listen();
    worker = await startDeliveries(database, env, log, watch);
    if (!worker) throw new SettingsError("SECRETS_KEY must be set for a worker.");
  } catch (error) {
    await watch.stop();
    await database.close();
    throw error;
  }
  const expiryNotices = startMailsAboutKeys(database, createMailer(env), log);
  log.info({ engine: database.connection.engine }, "delivering");
  const signal = await stopSignal;
  log.info({ signal }, "stopping");
  await worker.stop();
  await close(database, expiryNotices?.stop, watch.stop);
  log.info("stopped");
  process.exit(0);
}

/** Mails the holders of keys that expire soon, where a mail server is set. Processes of all roles do, each key once. */
const startMailsAboutKeys = ({ db }: OpenDatabase, mailer: Mailer | null, log: Logger) =>
  mailer &&
  startExpiryNotices(db, mailer, (error) =>
    log.error({ fault: toErrorResponse(error).fault }, "mail about an expiring key failed"),
  );

/** Returns the sample, loaded first where the embedded database is empty. */
async function loadOrReadSample(database: OpenDatabase, env: Env): Promise<Sample | null> {
  const { db, dataDir } = database;
  if (dataDir !== null && env.DEMO === "on" && (await isEmpty(db))) {
    await loadSample(db, dataDir);
    void database.maintenance?.run();
  }
  // Keys are printed only where nobody but this machine can use them; `demo show` prints them anywhere.
  return isLoopback(env.HOST) ? syncSample(db, dataDir) : null;
}

async function printBanner(server: Server, database: OpenDatabase, sample: Sample | null, json: boolean) {
  const { address, port } = server.address() as AddressInfo;
  const url = toServerUrl(address, port);
  const link = await createFirstLink(database, sample);
  if (json) {
    process.stdout.write(`${JSON.stringify({ url, sample, link })}\n`);
    return;
  }
  const lines = [`Minutes is listening on ${url}`, `Data: ${describeData(process.env)}`];
  if (link !== null) lines.push("", ...describeFirstLink(link, sample));
  if (sample) lines.push("", ...describeSample(sample, url));
  else if (await isEmpty(database.db)) lines.push("", ...FIRST_STEPS);
  process.stdout.write(`\n${lines.join("\n")}\n\n`);
}

async function close(
  database: OpenDatabase,
  ...stops: readonly ((() => Promise<unknown>) | undefined)[]
): Promise<void> {
  const closed = Promise.all(stops.map((stop) => stop?.())).then(() => database.close());
  await withTimeout(closed, CLOSE_TIMEOUT, () => {});
}

/** Signals that stop the server: a supervisor's, Ctrl-C, and the end of its terminal. */
const STOP_SIGNALS = ["SIGTERM", "SIGINT", "SIGHUP"] as const;

/** Resolves at the first signal that stops the server; a second one ends the process at once. */
function waitForSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let first: number | undefined;
    const onSignal = (signal: NodeJS.Signals) => {
      if (first !== undefined && performance.now() - first > SAME_SIGNAL) process.exit(1);
      first ??= performance.now();
      resolve(signal);
    };
    for (const signal of STOP_SIGNALS) process.on(signal, onSignal);
  });
}

/** Ends the process after a fault that nothing caught, because its state is unknown. The log says where it was. */
function exitOnFault(log: Logger): void {
  const onFault = (error: unknown) => {
    log.fatal({ fault: toErrorResponse(error).fault }, "unexpected fault");
    process.exit(1);
  };
  process.on("uncaughtException", onFault);
  process.on("unhandledRejection", onFault);
}
