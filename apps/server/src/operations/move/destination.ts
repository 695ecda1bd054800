import { type Database, ExplainedError, MOVE_TABLE } from "@minutes/db";
import { sql } from "drizzle-orm";
import { type Catalog, findFilledTables, readCatalog, type Table } from "../archive/catalog.js";
import { matchTables, switchTriggers, truncateTables } from "../archive/load.js";

/** Tables with rows in an unused installation: settings, starts and the set-up link. */
const FILLED_AT_START = ["search_settings", "sync_starts", "one_time_links"];

/** The table of vectors, which exists if pgvector is installed. */
const VECTOR_TABLE = "search_windows";
/** Says that a meeting's vectors exist. */
const VECTOR_STATE = { table: "search_documents", column: "space" };

const moveTable = sql.identifier(MOVE_TABLE);
const hasVectorTable = ({ tables }: Catalog) => tables.some(({ name }) => name === VECTOR_TABLE);

/** Creates the error for a table that differs. */
export const createMismatchError = (table: string) =>
  new ExplainedError(
    `The table ${table} differs between the databases. Use one version of Minutes for both.`,
  );

/**
 * Plans which tables are copied, with which columns, between databases of the same schema.
 * @returns `hasVectors` is false when the destination can't store vectors: they are computed again once it can
 * @throws ExplainedError when a table is missing in the destination, or different
 */
export function planMove(source: Catalog, destination: Catalog) {
  const hasVectors = hasVectorTable(destination) || !hasVectorTable(source);
  const select = ({ tables }: Catalog) => (hasVectors ? tables : withoutVectors(tables));
  return { tables: matchTables(select(source), select(destination), createMismatchError), hasVectors };
}

const withoutVectors = (tables: readonly Table[]): Table[] =>
  tables
    .filter(({ name }) => name !== VECTOR_TABLE)
    .map((table) => ({
      ...table,
      columns: table.columns.filter(
        ({ name }) => table.name !== VECTOR_STATE.table || name !== VECTOR_STATE.column,
      ),
    }));

/** Empties the destination of an interrupted move and removes its mark, so that it can be migrated and filled again. */
export const emptyDestination = (destination: Database): Promise<void> =>
  destination.transaction(async (tx) => {
    const { tables } = await readCatalog(tx);
    await truncateTables(tx, tables);
    await switchTriggers(tx, tables, "enable");
    await tx.execute(sql`drop table ${moveTable}`);
  });

/** Marks an empty destination, so that no server starts on it. @throws ExplainedError if it is not empty */
export async function markMoveUnfinished(destination: Database, tables: readonly Table[]): Promise<void> {
  const others = tables.filter(({ name }) => !FILLED_AT_START.includes(name));
  const [filled] = await findFilledTables(destination, others);
  if (filled !== undefined)
    throw new ExplainedError(
      `The destination is not empty: its table ${filled} has rows. Choose an empty database or directory.`,
    );
  await destination.execute(sql`create table ${moveTable} ()`);
}

/** Unmarks a complete destination, so that servers start on it. */
export const markMoveFinished = async (destination: Database): Promise<void> => {
  await destination.execute(sql`drop table ${moveTable}`);
};
