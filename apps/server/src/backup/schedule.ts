import { execFile } from "node:child_process";
import { constants, setPriority } from "node:os";
import { type BackgroundLoop, startLoop } from "@minutes/background";
import type { Logger } from "pino";
import { PROGRAM_FILE } from "../program-file.js";
import { listBackups } from "./folder.js";

/** Milliseconds after a backup that failed. */
const RETRY = 600_000;

export interface Schedule {
  readonly directory: string;
  /** Seconds from one backup to the next. */
  readonly every: number;
}

/**
 * Makes a backup whenever the newest one in the directory is older than `every`, by the command `minutes backup`: a process of its
 * own at a low priority, so that requests do not wait for its compression.
 */
export function startScheduledBackups({ directory, every }: Schedule, log: Logger): BackgroundLoop {
  return startLoop({
    step: async (signal) => {
      const [newest] = await listBackups(directory);
      const wait = newest ? newest.createdAt.getTime() + every * 1_000 - Date.now() : 0;
      if (wait > 0) return wait;
      const { bytes, milliseconds } = await runBackup(signal);
      log.info({ bytes, ms: milliseconds }, "backup made");
      return 0;
    },
    onFault: (error) => log.error({ reason: (error as Error).message }, "backup failed"),
    faultPause: RETRY,
  });
}

/** Runs `minutes backup`. @throws Error with the command's own sentence */
function runBackup(signal: AbortSignal): Promise<{ bytes: number; milliseconds: number }> {
  const began = performance.now();
  return new Promise((resolve, reject) => {
    const child = execFile(
      process.execPath,
      [PROGRAM_FILE, "backup", "--json"],
      { signal },
      (error, stdout) => {
        const result = parseResult(stdout);
        if (error) reject(new Error(result.error ?? "The command ended without a result."));
        else resolve({ bytes: result.bytes ?? 0, milliseconds: Math.round(performance.now() - began) });
      },
    );
    if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW);
  });
}

function parseResult(stdout: string): { error?: string; bytes?: number } {
  try {
    return JSON.parse(stdout);
  } catch {
    return {};
  }
}
