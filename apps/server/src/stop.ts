import { toErrorResponse } from "@minutes/core";
import { withTimeout } from "@minutes/db";
import type { Logger } from "pino";
import type { Config } from "./config/config.js";
import type { OpenDatabase } from "./operations/installation.js";
import { killAfter } from "./operations/kill-after.js";

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
