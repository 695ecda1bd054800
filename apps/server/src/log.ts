import { type Logger, pino } from "pino";
import type { Env } from "./env.js";

/** Bytes of log lines that wait for a reader of stdout that is slow; what comes beyond that is dropped. */
const WAITING_BYTES = 1_000_000;

/**
 * Makes the log, one JSON object a line on stdout. A reader that is slow, stopped or gone never holds up the server: its
 * lines are dropped.
 */
export function createLog(env: Pick<Env, "LOG_LEVEL">): Logger {
  // A command ends when its reader is gone; a server goes on.
  process.stdout.removeAllListeners("error");
  process.stdout.on("error", () => {});
  return pino(
    { level: env.LOG_LEVEL, base: null },
    {
      write: (line: string) => {
        if (process.stdout.writableLength < WAITING_BYTES) process.stdout.write(line);
      },
    },
  );
}
