import { randomUUID } from "node:crypto";
import { MESSAGES } from "@minutes/contract";
import { ApiError } from "@minutes/core";
import type { Engine } from "@minutes/db";

/** Files that a copy of the database needs to be consistent. */
interface BackupEnd {
  /** The content of the file `backup_label`. */
  readonly label: string;
  /** The first and last files of the write-ahead log that belong to it. */
  readonly log: { readonly first: string; readonly last: string };
}

/** Allows copying the embedded database's files while statements run, using PostgreSQL's own online backup. */
export interface OnlineBackups {
  /** Begins a backup, and ends one already running: its owner may be gone. */
  begin(): Promise<{ id: string }>;
  /**
   * Ends a backup. The copy has the state at the time of this call.
   * @throws ApiError 409 if another one began since, or the engine was reopened
   */
  finish(id: string): Promise<BackupEnd>;
  /** Ends a backup, finished or not, and releases the write-ahead log. */
  release(id: string): Promise<void>;
  /** True while a backup needs the write-ahead log since its beginning, which a checkpoint would remove. */
  mustKeepWriteAheadLog(): boolean;
}

/** Begins and ends an online backup, in this process or in the one that has the database open. */
export type BackupSteps = Pick<OnlineBackups, "begin" | "finish" | "release">;

/** Lease of a backup on the write-ahead log in ms. The log is removed once it expires. */
const LEASE = 3_600_000;

const START = "select pg_backup_start('minutes', true)::text as lsn";
const STOP = "select lsn::text, labelfile as label from pg_backup_stop(false)";

/** Creates the online backups of an open engine. */
export function createOnlineBackups(client: Engine): OnlineBackups {
  let current: { readonly id: string; readonly lsn: string } | null = null;
  let needed: { readonly id: string; readonly since: number } | null = null;
  const mustKeepWriteAheadLog = () => needed !== null && performance.now() - needed.since < LEASE;
  const end = async () => {
    current = null;
    // Also without a known backup: one that failed to end would block all others.
    await client.query(STOP).catch(() => {});
  };
  return {
    begin: async () => {
      const id = randomUUID();
      needed = { id, since: performance.now() };
      await end();
      const [started] = (await client.query<{ lsn: string }>(START)).rows;
      if (!started) throw new Error("The database did not begin a backup.");
      current = { id, lsn: started.lsn };
      return { id };
    },
    finish: async (id) => {
      if (current?.id !== id || !mustKeepWriteAheadLog())
        throw new ApiError("CONFLICT", MESSAGES.backupInterrupted);
      const { lsn: first } = current;
      current = null;
      return client
        .transaction(async (tx) => {
          const [stopped] = (await tx.query<{ lsn: string; label: string }>(STOP)).rows;
          if (!stopped) throw new Error("The database did not end the backup.");
          const [log] = (
            await tx.query<BackupEnd["log"]>(
              "select pg_walfile_name($1::pg_lsn) as first, pg_walfile_name($2::pg_lsn) as last",
              [first, stopped.lsn],
            )
          ).rows;
          if (!log) throw new Error("The database named no log.");
          return { label: stopped.label, log };
        })
        .catch((error: { code?: string }) => {
          // 55000: no backup is in progress, because the engine was reopened.
          throw error.code === "55000" ? new ApiError("CONFLICT", MESSAGES.backupInterrupted) : error;
        });
    },
    release: async (id) => {
      if (current?.id === id) await end();
      if (needed?.id === id) needed = null;
    },
    mustKeepWriteAheadLog,
  };
}
