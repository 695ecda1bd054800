import type { Catalog, Table } from "./catalog.js";
import { MoveError } from "./errors.js";

/** What a move copies. */
export interface MovePlan {
  /** In the order in which they are copied. */
  readonly tables: readonly PlannedTable[];
  readonly sequences: readonly string[];
  /** False: the destination can't store vectors. They are made again when it can. */
  readonly hasVectors: boolean;
}

/** A table and how its columns are read at the source. */
export interface PlannedTable extends Table {
  /** Columns that become null in the destination. */
  readonly cleared: readonly string[];
}

/** The table of vectors, which exists where pgvector is installed. */
const VECTOR_TABLE = "search_windows";
/** What says that a meeting's vectors exist. */
const VECTOR_STATE = { table: "search_documents", column: "space" };
/** The types of a vector: an older pgvector has no `halfvec`. Their texts are the same. */
const VECTOR_TYPE = "search_vector";

const describe = ({ columns }: Table) =>
  columns
    .map(({ name, type }) => `${name} ${type === "vector" || type === "halfvec" ? VECTOR_TYPE : type}`)
    .join();

/**
 * Plans what is copied from one database to another of the same schema.
 * @throws MoveError when a table of the one is missing in the other, or different
 */
export function planMove(source: Catalog, destination: Catalog): MovePlan {
  const there = new Map(destination.tables.map((table) => [table.name, table]));
  const hasVectors = there.has(VECTOR_TABLE) || !source.tables.some(({ name }) => name === VECTOR_TABLE);
  const tables: PlannedTable[] = [];
  for (const table of source.tables) {
    const other = there.get(table.name);
    there.delete(table.name);
    if (!other && table.name === VECTOR_TABLE) continue;
    if (!other || describe(other) !== describe(table)) throw differs(table.name);
    const cleared = !hasVectors && table.name === VECTOR_STATE.table ? [VECTOR_STATE.column] : [];
    tables.push({ ...table, columns: other.columns, cleared });
  }
  there.delete(VECTOR_TABLE);
  for (const name of there.keys()) throw differs(name);
  const sequences = source.sequences.filter((name) => destination.sequences.includes(name));
  return { tables, sequences, hasVectors };
}

const differs = (table: string) =>
  new MoveError(
    `The table ${table} is not the same in both databases. Move with one version of Minutes on both.`,
  );
