import type { PgDatabase, PgQueryResultHKT } from "drizzle-orm/pg-core";

/** A database or a transaction, on either engine. Everything that accesses data takes one of these. */
export type Database = PgDatabase<PgQueryResultHKT, Record<string, never>>;
