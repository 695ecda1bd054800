import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { answerFor, countOutdated, type Semantics, setSearchLanguage } from "@minutes/core";
import { type Logger, pino } from "pino";
import { createApp, createHttpServer, REQUEST_DEADLINE } from "./app.js";
import { FIRST_STEPS, sampleLines, urlOf } from "./banner.js";
import { type ControlServer, serveOperations } from "./control.js";
import { readSample, type Sample } from "./demo/keys-file.js";
import { isEmpty, loadSample } from "./demo/load.js";
import { drainable } from "./drain.js";
import type { Env } from "./env.js";
import { type OpenDatabase, openDatabase } from "./open-database.js";
import { semanticsOf } from "./semantics.js";

/** The address can't be listened on; the message says what to change. */
export class ListenError extends Error {
  override name = "ListenError";
}

/** Milliseconds by which a statement is cancelled before its request's deadline. */
const STATEMENT_MARGIN = 250;
/** Milliseconds for closing the database before the process ends regardless: connections to a frozen one never close. */
const CLOSE_PATIENCE = 1_000;
/**
 * A signal is only taken as a second one after so many milliseconds: Ctrl-C reaches every process of the terminal, and
 * pnpm passes its own on, so that one keystroke arrives twice.
 */
const SAME_SIGNAL = 1_000;

/**
 * Runs the server until SIGTERM or SIGINT, then stops it without failing a request, within 10 seconds. A second
 * signal ends the process at once.
 * @throws DataDirLockedError, SchemaNewerError, ListenError
 */
export async function start(env: Env, options: { json: boolean }): Promise<void> {
  const log = pino({ level: env.LOG_LEVEL, base: null });
  exitOnFault(log);
  const stopSignal = untilSignal();

  const database = await openDatabase(env, { statementTimeout: REQUEST_DEADLINE - STATEMENT_MARGIN });
  let semantics: Semantics | undefined;
  try {
    if (env.SEARCH_LANGUAGE !== undefined) await setSearchLanguage(database.db, env.SEARCH_LANGUAGE);
    semantics = await semanticsOf(env, database.connection, log);
  } catch (error) {
    await database.close();
    throw error;
  }
  const control = serveOperations(database, (fault) => log.error({ fault }, "command failed"));
  let accepting = true;
  const app = createApp({
    connection: database.connection,
    env,
    log,
    semantics,
    accepting: () => accepting,
  });
  const { server, drain } = drainable(app, createHttpServer);
  let sample: Sample | null;
  try {
    sample = await sampleOf(database, env);
    await listen(server, env);
  } catch (error) {
    await database.close();
    throw error;
  }
  database.lock?.serve(control.listener);
  await announce(server, database, sample, options.json);
  log.info({ engine: database.connection.engine }, "listening");
  const stopLearning = semantics?.start(database.db);
  const outdated = await countOutdated(database.db);
  if (outdated > 0)
    log.warn({ outdated }, "meetings are indexed by older settings: run `pnpm minutes reindex`");

  const signal = await stopSignal;
  accepting = false;
  log.info({ signal }, "stopping");
  await drain();
  await close(control, database, stopLearning);
  log.info("stopped");
  // Whatever is still pending belongs to requests that were cut at their limit.
  process.exit(0);
}

/** The sample, loaded first where the embedded database is empty. */
async function sampleOf(database: OpenDatabase, env: Env): Promise<Sample | null> {
  const { db, dataDir } = database;
  if (dataDir !== null && env.DEMO === "on" && (await isEmpty(db))) {
    await loadSample(db, dataDir);
    void database.maintenance?.run();
  }
  return readSample(db, dataDir);
}

function listen(server: Server, { HOST, PORT }: Env): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      const reasons: Readonly<Record<string, string>> = {
        EADDRINUSE: `Port ${PORT} on ${HOST} is in use by another program. Stop it, or choose another PORT.`,
        EACCES: `Port ${PORT} needs more rights than this user has. Choose a PORT above 1023.`,
        EADDRNOTAVAIL: `HOST ${HOST} is not an address of this machine.`,
        ENOTFOUND: `HOST ${HOST} is not a known name.`,
      };
      reject(
        new ListenError(reasons[error.code ?? ""] ?? `Can't listen on ${HOST}:${PORT} (${error.code}).`),
      );
    });
    server.listen(PORT, HOST, resolve);
  });
}

async function announce(server: Server, database: OpenDatabase, sample: Sample | null, json: boolean) {
  const url = urlOf(server.address() as AddressInfo);
  if (json) {
    process.stdout.write(`${JSON.stringify({ url, sample })}\n`);
    return;
  }
  const lines = [`Minutes is listening on ${url}`];
  if (sample) lines.push("", ...sampleLines(sample, url));
  else if (await isEmpty(database.db)) lines.push("", ...FIRST_STEPS);
  process.stdout.write(`\n${lines.join("\n")}\n\n`);
}

async function close(
  control: ControlServer,
  database: OpenDatabase,
  stopLearning?: () => Promise<void>,
): Promise<void> {
  const closed = Promise.all([control.stop(), stopLearning?.()]).then(() => database.close());
  await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, CLOSE_PATIENCE))]);
}

/** Resolves at the first SIGTERM or SIGINT. */
function untilSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let first: number | undefined;
    const onSignal = (signal: NodeJS.Signals) => {
      if (first !== undefined && performance.now() - first > SAME_SIGNAL) process.exit(1);
      first ??= performance.now();
      resolve(signal);
    };
    process.on("SIGTERM", onSignal);
    process.on("SIGINT", onSignal);
  });
}

/** A fault that nothing caught leaves the process in a state that nobody knows: it says where, and ends. */
function exitOnFault(log: Logger): void {
  const onFault = (error: unknown) => {
    log.fatal({ fault: answerFor(error).fault }, "unexpected fault");
    process.exit(1);
  };
  process.on("uncaughtException", onFault);
  process.on("unhandledRejection", onFault);
}
