/** A column as described by the database. */
export interface Column {
  readonly name: string;
  /** Including modifiers, such as `timestamp(3) with time zone`. */
  readonly type: string;
  /** True for a type of variable length. */
  readonly isLong: boolean;
}

/** A table with all its columns, sorted by name. */
export interface Table {
  readonly name: string;
  readonly columns: readonly Column[];
  /** Primary key columns in key order. */
  readonly key: readonly string[];
  /** Tables referenced by its foreign keys. */
  readonly references: readonly string[];
  readonly hasTriggers: boolean;
}

/** Everything in the database that holds data. Unlogged tables are omitted: a crash of the engine empties them anyway. */
export interface Catalog {
  /** Each table comes after those it references. */
  readonly tables: readonly Table[];
  readonly sequences: readonly string[];
}
