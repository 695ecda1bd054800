import { createHash } from "node:crypto";
import { type Database, getSchemaVersion } from "@minutes/db";
import { sql } from "drizzle-orm";
import { type Batch, selectBatch } from "./batch.js";
import { type Catalog, countRows, readCatalog, readRow, type Table } from "./catalog.js";
import { type ArchiveInfo, type DumpContents, FORMAT, INFO_ENTRY, nameBatch } from "./format.js";
import type { EntryWriter } from "./write-entries.js";

/** Is called with the number of rows that are done, of how many, and the table. */
export type OnProgress = (done: number, all: number, table: string) => void;

/** Takes the batches of a table, counted from 1, one after another. */
export type AddBatch = (table: string, rows: string, number: number) => Promise<void>;

export interface DumpOptions {
  /** The version of Minutes. */
  readonly version: string;
  /** When the snapshot was taken. */
  readonly createdAt: Date;
  readonly onProgress: OnProgress;
}

/** Reads a database in one read-only snapshot, in which values become the same texts on either engine. */
export const readSnapshot = <Result>(
  db: Database,
  read: (reading: Database) => Promise<Result>,
): Promise<Result> =>
  db.transaction(
    async (reading) => {
      await reading.execute(sql`select set_config('extra_float_digits', '1', true),
        set_config('idle_in_transaction_session_timeout', '0', true)`);
      return read(reading);
    },
    { isolationLevel: "repeatable read", accessMode: "read only" },
  );

/**
 * Writes all rows of a database to an archive.
 * @returns the totals for the archive's last entry
 * @see docs/decisions/0258-backups.md
 */
export const dumpDatabase = (
  db: Database,
  entries: EntryWriter,
  { version, createdAt, onProgress }: DumpOptions,
): Promise<DumpContents> =>
  readSnapshot(db, async (reading) => {
    const catalog = await readCatalog(reading);
    const { engine } = await readRow<{ engine: string }>(
      reading,
      sql`select current_setting('server_version') as engine`,
    );
    const info: ArchiveInfo = {
      format: FORMAT,
      minutes: version,
      engine,
      createdAt: createdAt.toISOString(),
      schema: await getSchemaVersion(reading),
      tables: catalog.tables.map(({ name, columns }) => ({
        name,
        columns: columns.map(({ name, type }) => ({ name, type })),
      })),
    };
    await entries.addText(INFO_ENTRY, JSON.stringify(info));
    const addBatch: AddBatch = (table, rows, number) => entries.addText(nameBatch(table, number), rows);
    return dumpRows(reading, catalog, addBatch, onProgress);
  });

/** Reads all rows of these tables in batches: the one reader of rows, for archives and moves. */
export async function dumpRows(
  reading: Database,
  { tables, sequences }: Catalog,
  addBatch: AddBatch,
  onProgress: OnProgress,
): Promise<DumpContents> {
  const { transaction } = await readRow<{ transaction: string }>(
    reading,
    sql`select (transaction_base() + pg_snapshot_xmax(pg_current_snapshot())::text::bigint)::text as transaction`,
  );
  const all = await countRows(reading, tables);
  let done = 0;
  const contents: DumpContents["tables"] = {};
  for (const table of tables)
    contents[table.name] = await dumpTable(reading, table, async (rows, number, count) => {
      await addBatch(table.name, rows, number);
      done += count;
      onProgress(done, all, table.name);
    });
  return { tables: contents, sequences: await readSequences(reading, sequences), transaction };
}

/** Writes the rows of one table, one batch per entry. */
async function dumpTable(
  db: Database,
  table: Table,
  addBatch: (rows: string, number: number, count: number) => Promise<void>,
): Promise<DumpContents["tables"][string]> {
  const hash = createHash("sha256");
  let rows = 0;
  let after: string | null = null;
  for (let number = 1; ; number++) {
    const batch: Batch = await readRow<Batch>(db, selectBatch(table, after));
    if (batch.rows !== null) {
      hash.update(batch.rows);
      rows += Number(batch.count);
      await addBatch(batch.rows, number, Number(batch.count));
    }
    if (batch.ended === "true") return { rows, sha256: hash.digest("hex") };
    after = batch.last;
  }
}

async function readSequences(db: Database, names: readonly string[]): Promise<DumpContents["sequences"]> {
  const sequences: DumpContents["sequences"] = {};
  for (const name of names) {
    const { last, called } = await readRow<{ last: string; called: string }>(
      db,
      sql`select last_value::text as last, is_called::text as called from ${sql.identifier(name)}`,
    );
    sequences[name] = { last, called: called === "true" };
  }
  return sequences;
}
