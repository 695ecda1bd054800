import { Worker } from "node:worker_threads";
import { toErrorResponse } from "@minutes/core";
import { withTimeout } from "@minutes/db";
import type { Logger } from "pino";
import type { Config } from "./config/config.js";
import type { OpenDatabase } from "./operations/installation.js";

type StopSettings = Pick<Config, "STOP_DELAY" | "STOP_TIMEOUT">;

/**
 * Timeout in ms for closing the database, after which the process ends anyway: connections to a frozen one never close.
 */
const CLOSE_TIMEOUT = 1_000;
/** Time in ms that is left of `STOP_TIMEOUT` when running work and a start are abandoned: to close the database. */
const REST = CLOSE_TIMEOUT + 1_000;

/** Signals that stop the server: from a supervisor, Ctrl-C, and the end of its terminal. */
const STOP_SIGNALS = ["SIGTERM", "SIGINT", "SIGHUP"] as const;
/**
 * Minimum time in ms between two distinct signals: Ctrl-C reaches every process of the terminal, and pnpm forwards its
 * own, so one keystroke arrives twice.
 */
const SAME_SIGNAL = 1_000;

export interface StopSignal {
  /** Resolves at the first signal, immediately if it came during the start. Call it once the start is complete. */
  wait(): Promise<NodeJS.Signals>;
}

/**
 * Listens for the signals that stop the process. It ends within `STOP_DELAY` and `STOP_TIMEOUT` of the first, even if a
 * statement of the embedded engine never returns. A start that has not completed shortly before, for example because it
 * waits for the database, is abandoned. A second signal ends the process immediately.
 */
export function listenForSignals(log: Logger, { STOP_DELAY, STOP_TIMEOUT }: StopSettings): StopSignal {
  let first: number | undefined;
  let isStarting = true;
  let startTimer: NodeJS.Timeout | undefined;
  const signal = new Promise<NodeJS.Signals>((resolve) => {
    const onSignal = (name: NodeJS.Signals) => {
      if (first !== undefined && performance.now() - first > SAME_SIGNAL) process.exit(1);
      if (first === undefined) killAfter(log, (STOP_DELAY + STOP_TIMEOUT) * 1_000);
      if (first === undefined && isStarting) startTimer = setTimeout(giveUp, STOP_TIMEOUT * 1_000 - REST);
      first ??= performance.now();
      resolve(name);
    };
    const giveUp = () => {
      log.warn("stopped before the start was complete: does the database hang?");
      process.exit(0);
    };
    for (const name of STOP_SIGNALS) process.on(name, onSignal);
  });
  return {
    wait: () => {
      isStarting = false;
      clearTimeout(startTimer);
      return signal;
    },
  };
}

type Work = readonly (Promise<unknown> | undefined)[];

/** Resolves when all work has ended. Errors are logged and don't prevent the process from ending. */
async function settle(log: Logger, work: Work): Promise<void> {
  for (const result of await Promise.allSettled(work))
    if (result.status === "rejected")
      log.error({ fault: toErrorResponse(result.reason).fault }, "stop failed");
}

/** Waits for work to end until shortly before `STOP_TIMEOUT`: a hung database doesn't keep the process alive. */
export const endInTime = (log: Logger, { STOP_TIMEOUT }: StopSettings, work: Work): Promise<void> =>
  withTimeout(settle(log, work), STOP_TIMEOUT * 1_000 - REST, () =>
    log.warn("abandoned running work after its timeout: does the database hang?"),
  );

/** Ends background work, then closes the database, within a second. */
export async function close(
  log: Logger,
  database: OpenDatabase,
  ...stops: readonly ((() => Promise<unknown>) | undefined)[]
): Promise<void> {
  const stopped = settle(
    log,
    stops.map((stop) => stop?.()),
  );
  const closed = stopped.then(() => settle(log, [database.close()]));
  await withTimeout(closed, CLOSE_TIMEOUT, () => {});
}

/** Time in ms to write the log line. A stopped reader of stdout doesn't delay the end. */
const WRITE_TIMEOUT = 500;

/** A thread, because a statement of the embedded engine that never returns also stops the main thread's timers. */
const KILLER = `const { write } = require("node:fs");
const { workerData: { milliseconds, isLogged } } = require("node:worker_threads");
const kill = () => process.kill(process.pid, "SIGKILL");
setTimeout(() => {
  if (!isLogged) return kill();
  const reason = "stopping took too long: killed. Does the database hang?";
  write(1, JSON.stringify({ level: 60, time: Date.now(), msg: reason }) + "\\n", kill);
  setTimeout(kill, ${WRITE_TIMEOUT});
}, milliseconds);`;

/** Kills this process unless it ends within a time in ms, even if its main thread is blocked. Logs the reason first. */
function killAfter(log: Logger, milliseconds: number): void {
  const workerData = { milliseconds, isLogged: log.isLevelEnabled("fatal") };
  const worker = new Worker(KILLER, { eval: true, workerData });
  worker.unref();
  worker.on("error", (error) => log.error({ fault: error.name }, "nothing limits the time of stopping"));
}

/** Ends the process after an uncaught error, because its state is unknown. The log says where it occurred. */
export function exitOnFault(log: Logger): void {
  const onFault = (error: unknown) => {
    log.fatal({ fault: toErrorResponse(error).fault }, "unexpected fault");
    process.exit(1);
  };
  process.on("uncaughtException", onFault);
  process.on("unhandledRejection", onFault);
}
