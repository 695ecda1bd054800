import { createHash } from "node:crypto";
import type { Database } from "@minutes/db";
import { sql } from "drizzle-orm";
import { insertBatch } from "./batch.js";
import type { Column, Table } from "./catalog.js";
import type { DumpContents } from "./format.js";

/** Creates the error for a table whose rows can't be loaded. */
export type CreateLoadError = (table: string) => Error;

/** A table as a dump names it. */
interface DumpedTable {
  readonly name: string;
  readonly columns: readonly Pick<Column, "name" | "type">[];
}

/** Finds the tables of a dump in a database. @throws what `createError` creates when one is missing or has other columns */
export const matchTables = (
  dumped: readonly DumpedTable[],
  there: readonly Table[],
  createError: CreateLoadError,
): Table[] =>
  dumped.map((table) => {
    const found = there.find(({ name }) => name === table.name);
    if (found && describe(found) === describe(table)) return found;
    throw createError(table.name);
  });

/** Describes the columns of a table, with one name for types of vectors: an older pgvector has no `halfvec`. */
const describe = ({ columns }: DumpedTable) =>
  columns.map(({ name, type }) => `${name} ${type.replace(/^(half)?vec(tor)?$/, "vector")}`).join();

/** Loads the rows of a dump: the one writer of rows, for restores and moves. */
export interface Loader {
  addBatch(table: string, rows: string): Promise<void>;
  /**
   * Compares the rows with the dump's contents, and completes the database.
   * @param cursors `kept`: cursors of the change feed from before the dump stay valid, and later ones get 410; `ended`: all do
   * @see docs/decisions/0160-change-feed.md
   */
  complete(contents: DumpContents, cursors: "kept" | "ended"): Promise<void>;
}

/**
 * Empties the tables and prepares them for the rows of a dump. Triggers are off until it is complete: their work is in the rows.
 * Foreign keys and checks stay on.
 * @param createError creates the error for rows that are not those that were read
 */
export async function createLoader(
  db: Database,
  tables: readonly Table[],
  createError: CreateLoadError,
): Promise<Loader> {
  const loaded = new Map(tables.map((table) => [table.name, { table, rows: 0, hash: createHash("sha256") }]));
  await truncateTables(db, tables);
  await switchTriggers(db, tables, "disable");
  return {
    addBatch: async (name, rows) => {
      const state = loaded.get(name);
      if (!state) throw createError(name);
      state.hash.update(rows);
      state.rows += rows.split("\n").length;
      await db.execute(insertBatch(state.table, rows));
    },
    complete: async (contents, cursors) => {
      for (const [name, { rows, hash }] of loaded) {
        const noted = contents.tables[name];
        if (noted?.rows !== rows || noted.sha256 !== hash.digest("hex")) throw createError(name);
      }
      await db.execute(sql`analyze`);
      await db.transaction(async (tx) => {
        await switchTriggers(tx, tables, "enable");
        await setNumbers(tx, contents, cursors === "kept");
      });
    },
  };
}

/** Deletes all rows of these tables. */
export async function truncateTables(db: Database, tables: readonly Table[]): Promise<void> {
  const names = tables.map(({ name }) => sql.identifier(name));
  await db.execute(sql`truncate ${sql.join(names, sql`, `)} cascade`);
}

/** Switches the triggers of all tables that have some. Distributed tables have none. */
export async function switchTriggers(
  db: Database,
  tables: readonly Table[],
  to: "enable" | "disable",
): Promise<void> {
  for (const { name } of tables.filter(({ hasTriggers }) => hasTriggers))
    await db.execute(sql`alter table ${sql.identifier(name)} ${sql.raw(to)} trigger user`);
}

/** Sets sequences and transaction numbers to continue after those of the dump. */
async function setNumbers(
  db: Database,
  { sequences, transaction }: DumpContents,
  keepsCursors: boolean,
): Promise<void> {
  for (const [name, { last, called }] of Object.entries(sequences))
    await db.execute(
      sql`select setval(oid::regclass, ${last}::text::bigint, ${called}::text::boolean) from pg_class
        where relnamespace = 'public'::regnamespace and relkind = 'S' and relname = ${name}`,
    );
  await db.execute(
    sql.raw(`do $$ begin
      execute format('create or replace function transaction_base() returns bigint language sql stable return (%s)::bigint',
        ${BigInt(transaction)} - pg_current_xact_id()::text::bigint);
    end $$`),
  );
  // As `record_start` writes it: the starts are this database's own. Those of another one would end all cursors.
  if (keepsCursors)
    await db.execute(sql`update sync_starts set source = (select system_identifier::text from pg_control_system())
      || '.' || (select oid::text from pg_database where datname = current_database())
      || '.' || 'sync_starts'::regclass::oid::text`);
  await db.execute(sql`select record_start()`);
}
