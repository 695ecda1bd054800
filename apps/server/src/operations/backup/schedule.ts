import { execFile } from "node:child_process";
import { constants, setPriority } from "node:os";
import { type BackgroundLoop, startLoop } from "@minutes/background";
import type { Logger } from "pino";
import { PROGRAM_FILE } from "../../config/command.js";
import { listBackups } from "./folder.js";

/** Delay after a failed backup, in ms. */
const RETRY = 600_000;

export interface Schedule {
  readonly directory: string;
  /** Interval between backups, in seconds. */
  readonly every: number;
}

/**
 * Makes a backup whenever the newest one in the directory is older than `every`. Runs `minutes backup` as a separate
 * low-priority process, so that requests do not wait for its compression.
 */
export function startScheduledBackups({ directory, every }: Schedule, log: Logger): BackgroundLoop {
  return startLoop({
    step: async (signal) => {
      const [newest] = await listBackups(directory);
      const wait = newest ? newest.createdAt.getTime() + every * 1_000 - Date.now() : 0;
      if (wait > 0) return wait;
      const { bytes, milliseconds, readable } = await runBackup(signal);
      log.info({ bytes, ms: milliseconds }, "backup made");
      if (readable)
        log.warn("the backup is not encrypted and contains secrets.key: set BACKUP_PASSPHRASE to encrypt it");
      return 0;
    },
    onFault: (error) => log.error({ reason: (error as Error).message }, "backup failed"),
    faultPause: RETRY,
  });
}

/** Runs `minutes backup`. @throws Error with the command's message */
function runBackup(signal: AbortSignal): Promise<{ bytes: number; milliseconds: number; readable: boolean }> {
  const began = performance.now();
  return new Promise((resolve, reject) => {
    const child = execFile(
      process.execPath,
      [PROGRAM_FILE, "backup", "--json"],
      { signal },
      (error, stdout) => {
        const result = parseResult(stdout);
        if (error) reject(new Error(result.error ?? "The command ended without a result."));
        else
          resolve({
            bytes: result.bytes ?? 0,
            milliseconds: Math.round(performance.now() - began),
            readable: result.encrypted === false && result.secretsKey === true,
          });
      },
    );
    if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
  });
}

function parseResult(stdout: string): {
  error?: string;
  bytes?: number;
  encrypted?: boolean;
  secretsKey?: boolean;
} {
  try {
    return JSON.parse(stdout);
  } catch {
    return {};
  }
}
