import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { MESSAGES } from "@minutes/contract";
import { type DeliveryWorker, getRequestId } from "@minutes/core";
import { countOutdated, setSearchLanguage } from "@minutes/search";
import type { Logger } from "pino";
import { serveOperator } from "./commands/operator/serve.js";
import type { Role } from "./commands/server.js";
import { toCommand, toOperatorCommand } from "./config/command.js";
import { type Config, describeData, SettingsError } from "./config/config.js";
import { toServerUrl } from "./config/public-url.js";
import { isLoopback } from "./config/settings/rules.js";
import { describeUnknownSetting, findUnknownSettings } from "./config/unknown-settings.js";
import { describeEntry, describeFirstSteps, describeSample } from "./demo/banner.js";
import { type Sample, syncSample } from "./demo/keys-file.js";
import { isEmpty, loadSample } from "./demo/load.js";
import { createEntry, type Entry } from "./demo/startup-link.js";
import { createApp, createChangeSignal, REQUEST_DEADLINE } from "./http/app.js";
import { DEFAULT_CONNECTION_LIMITS, PROXIED_CONNECTION_LIMITS } from "./http/connection-limits.js";
import { createEntrance, type Entrance } from "./http/entrance.js";
import { startAudio } from "./operations/audio/audio-uploads.js";
import { startScheduledBackups } from "./operations/backup/schedule.js";
import { readCertificates, reportUnreadableSecrets, startDeliveries } from "./operations/deliver.js";
import type { OpenDatabase } from "./operations/installation.js";
import { listen } from "./operations/listen.js";
import { createLog } from "./operations/log.js";
import { openDatabase } from "./operations/open-database.js";
import { startRecordingProcessor } from "./operations/process-recordings.js";
import { startCalendars } from "./operations/sync-calendars.js";
import { startCleanup, startMails, startUpkeep } from "./operations/upkeep.js";
import { createWatch, type Watch } from "./operations/watch/watch.js";
import type { ReloadableSearch } from "./search/reloadable-search.js";
import { createSimilaritySearch } from "./search/similarity.js";
import { close, endInTime, exitOnFault, listenForSignals } from "./stop.js";

/** Directory of the console's build, relative to both the source and the bundle. */
const CONSOLE_DIRECTORY = fileURLToPath(new URL("../../console/dist", import.meta.url));

/** Time in ms before its request's deadline at which a statement is canceled. */
const STATEMENT_MARGIN = 250;

/**
 * Runs the server until SIGTERM, SIGINT or SIGHUP. It keeps serving calls for `STOP_DELAY` seconds, then stops within
 * 10 seconds without failing a request. Webhook deliveries in flight can take up to their timeout, and a hung database
 * is abandoned: `STOP_TIMEOUT` in total. A second signal ends the process immediately.
 * @throws DataDirLockedError, SchemaNewerError, ExplainedError, SettingsError
 */
export async function start(
  config: Config,
  options: { json: boolean; role?: Role | undefined },
): Promise<void> {
  // A wrong file stops the start before anything listens.
  await readCertificates(config);
  if (options.role === "worker") return runWorker(config);
  const log = createLog(config, options);
  exitOnFault(log);
  const stopSignal = listenForSignals(log, config);
  for (const setting of findUnknownSettings(process.env)) log.warn(describeUnknownSetting(setting));

  const { database, similarity, watch, ...serving } = await openAndServe(config, log, options.role !== "api");
  const { url, sample, summaries } = serving;
  const operator = serveOperator({ ...database, url, search: similarity, summaries }, (fault, request) =>
    log.error({ requestId: getRequestId(request), fault }, "command failed"),
  );
  database.lock?.serve(operator.listener);
  const magicLink = database.mailer !== null && config.SIGN_IN.includes("link");
  const entry = await createEntry(database, sample, magicLink);
  await printBanner(
    url,
    describeData(config),
    database,
    { sample, entry, command: toOperatorCommand(config) },
    options.json,
  );
  log.info({ engine: database.connection.engine, url }, "listening");
  const { background } = database.connection;
  const works = options.role !== "api";
  const upkeep = [
    ...startCleanup(config, log),
    ...startMails(background, database, log),
    ...(works
      ? await startWork(database, similarity, config, log)
      : [{ stop: similarity.startEmbedding(null) }]),
  ];
  const { BACKUP_DIR: directory, BACKUP_EVERY: every } = config;
  const backups =
    every === undefined || directory === undefined ? null : startScheduledBackups({ directory, every }, log);
  await reportUnreadableSecrets(database, log);
  const outdated = await countOutdated(database.db);
  if (outdated > 0)
    log.warn({ outdated }, "meetings are indexed with older settings: run `pnpm minutes reindex`");

  const signal = await stopSignal.wait();
  serving.refuse();
  log.info({ signal }, "stopping");
  await sleep(config.STOP_DELAY * 1_000);
  await endInTime(log, config, [...serving.end(), backups?.stop()]);
  await close(
    log,
    database,
    operator.stop,
    serving.processing.stop,
    serving.stopAudio,
    ...upkeep.map(({ stop }) => stop),
    watch.stop,
  );
  log.info("stopped");
  // Anything still pending belongs to requests that were cut at their deadline.
  process.exit(0);
}

interface Installation {
  readonly database: OpenDatabase;
  readonly similarity: ReloadableSearch;
  readonly watch: Watch;
}

/** Opens the installation and serves it. Until then, calls are answered with 503. */
async function openAndServe(config: Config, log: Logger, delivers: boolean) {
  const entrance = createEntrance(config.TRUST_PROXY ? PROXIED_CONNECTION_LIMITS : DEFAULT_CONNECTION_LIMITS);
  const { server } = entrance;
  await listen(server, config, Boolean(process.env.PORT));
  try {
    const installation = await open(config, log);
    return { ...installation, ...(await serve(config, installation, entrance, log, delivers)) };
  } catch (error) {
    // An open listener would keep the process alive, answering without a database.
    server.close();
    server.closeAllConnections();
    throw error;
  }
}

/** Opens the database, its search, and what observes them. */
async function open(config: Config, log: Logger): Promise<Installation> {
  const database = await openDatabase(config, {
    statementTimeout: REQUEST_DEADLINE - STATEMENT_MARGIN,
    onMailFault: logMailFaults(log),
    onWait: (note) => log.info(note),
    onEvent: (event) => {
      if (event === "aborted") log.error("the embedded database stopped: is the disk full?");
      else log.info("the embedded database works again");
    },
  });
  try {
    if (
      config.SEARCH_LANGUAGE !== undefined &&
      !(await setSearchLanguage(database.db, config.SEARCH_LANGUAGE))
    )
      throw new SettingsError(MESSAGES.unknownSearchLanguage);
    const similarity = await createSimilaritySearch(config, database.connection, log);
    return { database, similarity, watch: await createWatch(config, database.connection, log, similarity) };
  } catch (error) {
    await database.close();
    throw error;
  }
}

const logMailFaults = (log: Logger) => (fault: string | null) =>
  log.error({ fault }, "the mail server did not take an e-mail");

/** Serves calls, completes recordings and, if `delivers`, sends webhooks. */
async function serve(
  config: Config,
  { database, similarity, watch }: Installation,
  entrance: Entrance,
  log: Logger,
  delivers: boolean,
) {
  let accepting = true;
  let sample: Sample | null = null;
  const { connection } = database;
  const processing = startRecordingProcessor(config, connection.background, log);
  const changes = createChangeSignal(connection, log);
  const { PATH } = process.env;
  const audio = await startAudio(config, database, log, processing.summaries, PATH).catch(async (error) => {
    await watch.stop();
    await database.close();
    throw error;
  });
  const app = createApp({
    connection,
    changes,
    config,
    log,
    similarity,
    accepting: () => accepting,
    summaries: processing.summaries,
    webhooks: database.webhooks,
    publicUrl: database.publicUrl.get,
    sampleEmail: () => sample?.email ?? null,
    command: toCommand(config),
    mailer: database.mailer,
    audio: audio.uploads,
    keptAudio: audio.kept,
    consoleDirectory: config.CONSOLE === "on" ? CONSOLE_DIRECTORY : null,
    onAnswer: watch.onAnswer,
    traceAuthentication: watch.traceAuthentication,
    metrics: watch.metricsHandler,
  });
  try {
    sample = await loadOrReadSample(database, config);
    await watch.listen();
    const { address, port } = entrance.server.address() as AddressInfo;
    if (config.PORT !== 0 && port !== config.PORT)
      log.warn(`port ${config.PORT} is in use by another program: this server listens on ${port}`);
    database.publicUrl.setListeningAddress(address, port);
    const worker = delivers ? await startDeliveries(database, config, log, watch) : null;
    entrance.open(watch.wrap(app));
    return {
      ...{ url: toServerUrl(address, port), sample, processing: processing.worker },
      summaries: processing.summaries,
      stopAudio: audio.stop,
      /** Reports that the server is about to stop, so that load balancers send no more calls. */
      refuse: () => {
        accepting = false;
      },
      end: () => [entrance.drain(), changes.stop(), worker?.stop()],
    };
  } catch (error) {
    await watch.stop();
    await database.close();
    throw error;
  }
}

/** Starts what processes of all roles but `api` do beside deliveries: indexing, upkeep and calendars. */
async function startWork(
  database: OpenDatabase,
  similarity: ReloadableSearch,
  config: Config,
  log: Logger,
): Promise<readonly { readonly stop: () => Promise<unknown> }[]> {
  const { background } = database.connection;
  const calendars = await startCalendars(database, config, log);
  return [
    { stop: similarity.startEmbedding(background) },
    ...startUpkeep(background, config, log),
    calendars,
  ];
}

/** Runs a process that answers no calls and does the work of the others, until one of the signals above. */
async function runWorker(config: Config): Promise<void> {
  const log = createLog(config);
  exitOnFault(log);
  const stopSignal = listenForSignals(log, config);
  const database = await openDatabase(config, {
    statementTimeout: REQUEST_DEADLINE - STATEMENT_MARGIN,
    onMailFault: logMailFaults(log),
    onWait: (note) => log.info(note),
  });
  let watch: Watch | undefined;
  let similarity: ReloadableSearch;
  let worker: DeliveryWorker | null;
  try {
    similarity = await createSimilaritySearch(config, database.connection, log);
    watch = await createWatch(config, database.connection, log, similarity);
    await watch.listen();
    worker = await startDeliveries(database, config, log, watch);
  } catch (error) {
    await watch?.stop();
    await database.close();
    throw error;
  }
  const upkeep = [
    ...startCleanup(config, log),
    ...startMails(database.connection.background, database, log),
    ...(await startWork(database, similarity, config, log)),
  ];
  await reportUnreadableSecrets(database, log);
  log.info({ engine: database.connection.engine }, "working");
  const signal = await stopSignal.wait();
  log.info({ signal }, "stopping");
  await endInTime(log, config, [worker?.stop()]);
  await close(log, database, ...upkeep.map(({ stop }) => stop), watch.stop);
  log.info("stopped");
  process.exit(0);
}

/** Returns the sample, loaded first where the embedded database is empty. */
async function loadOrReadSample(database: OpenDatabase, config: Config): Promise<Sample | null> {
  const { db, dataDir } = database;
  if (dataDir !== null && config.DEMO === "on" && (await isEmpty(db))) {
    await loadSample(db, dataDir);
    void database.maintenance?.run();
  }
  // Keys are printed only if they work only from this machine; `demo show` always prints them.
  return isLoopback(config.HOST) ? syncSample(db, dataDir) : null;
}

/**
 * Prints the server's URL, the sample's keys and what gets the first person in: to the terminal, otherwise to stderr, so that
 * stdout has only the log. With `--json` they are its first line.
 */
async function printBanner(
  url: string,
  data: string,
  database: OpenDatabase,
  { sample, entry, command }: { sample: Sample | null; entry: Entry | null; command: string },
  json: boolean,
) {
  if (json) {
    process.stdout.write(`${JSON.stringify({ url, sample, link: entry?.link ?? null })}\n`);
    return;
  }
  const lines = [`Minutes is listening on ${url}`, `Data: ${data}`];
  if (entry !== null) lines.push("", ...describeEntry(entry, sample, command));
  if (sample) lines.push("", ...describeSample(sample, url, command));
  else if (await isEmpty(database.db)) lines.push("", ...describeFirstSteps(command));
  const stream = process.stdout.isTTY ? process.stdout : process.stderr;
  stream.write(`\n${lines.join("\n")}\n\n`);
}
