import { randomUUID } from "node:crypto";
import { MESSAGES } from "@minutes/contract";
import { ApiError } from "@minutes/core";
import type { Engine } from "@minutes/db";

/** Rows above which a table is not counted: a count holds up writes. */
const COUNTED = 100_000;

/** What a copy of the database's files needs besides them. */
export interface BackupEnd {
  /** The content of the file `backup_label`. */
  readonly label: string;
  /** The names of the first and the last file of the write-ahead log that belong to it. */
  readonly log: { readonly first: string; readonly last: string };
  readonly rows: Readonly<Record<string, number>>;
}

/** Makes the embedded database's files fit to be copied while statements go on, by PostgreSQL's own online backup. */
export interface OnlineBackups {
  /** Begins one, and ends another that is under way: whoever made that one may be gone. */
  begin(): Promise<{ id: string; engine: string }>;
  /**
   * Ends it. The copy then stands for the moment of this call.
   * @throws ApiError 409 when another one began meanwhile, or the engine was opened again.
   */
  finish(id: string): Promise<BackupEnd>;
  /** Ends it without a result. */
  abandon(id: string): Promise<void>;
}

const START = `select pg_backup_start('minutes', true)::text as lsn, current_setting('server_version') as engine`;
const STOP = "select lsn::text, labelfile as label from pg_backup_stop(false)";
// Unlogged tables, such as the quota's windows, are empty after a restore as after a crash.
const TABLES = `select relname as name from pg_class
  where relkind = 'r' and relpersistence = 'p' and relnamespace = 'public'::regnamespace and reltuples <= ${COUNTED} order by 1`;

/** Creates the online backups of an open engine. */
export function createOnlineBackups(client: Engine): OnlineBackups {
  let current: { readonly id: string; readonly lsn: string } | null = null;
  const end = async () => {
    current = null;
    // Also where none is known here: one whose end failed would keep all others from beginning.
    await client.query(STOP).catch(() => {});
  };
  return {
    begin: async () => {
      await end();
      const [started] = (await client.query<{ lsn: string; engine: string }>(START)).rows;
      if (!started) throw new Error("The database began no backup.");
      current = { id: randomUUID(), lsn: started.lsn };
      return { id: current.id, engine: started.engine };
    },
    finish: async (id) => {
      if (current?.id !== id) throw new ApiError("CONFLICT", MESSAGES.backupInterrupted);
      const { lsn: first } = current;
      current = null;
      return client
        .transaction(async (tx) => {
          const rows = await countSmallTables(async (text) => (await tx.query<never>(text)).rows);
          const [stopped] = (await tx.query<{ lsn: string; label: string }>(STOP)).rows;
          if (!stopped) throw new Error("The database ended no backup.");
          const [log] = (
            await tx.query<BackupEnd["log"]>(
              "select pg_walfile_name($1::pg_lsn) as first, pg_walfile_name($2::pg_lsn) as last",
              [first, stopped.lsn],
            )
          ).rows;
          if (!log) throw new Error("The database named no log.");
          return { label: stopped.label, log, rows };
        })
        .catch((error: { code?: string }) => {
          // 55000: no backup is in progress, since the engine was opened again.
          throw error.code === "55000" ? new ApiError("CONFLICT", MESSAGES.backupInterrupted) : error;
        });
    },
    abandon: async (id) => {
      if (current?.id === id) await end();
    },
  };
}

/** Counts the rows of each table that is not large. */
async function countSmallTables(
  query: <Row>(text: string) => Promise<Row[]>,
): Promise<Record<string, number>> {
  const tables = await query<{ name: string }>(TABLES);
  return countTables(
    query,
    tables.map(({ name }) => name),
  );
}

/** Counts the rows of these tables with one statement. */
export async function countTables(
  query: <Row>(text: string) => Promise<Row[]>,
  tables: readonly string[],
): Promise<Record<string, number>> {
  if (tables.length === 0) return {};
  const counts = await query<{ name: string; count: number }>(
    tables
      .map((name) => `select '${name}' as name, count(*)::int as count from "${name}"`)
      .join(" union all "),
  );
  return Object.fromEntries(counts.map(({ name, count }) => [name, count]));
}
