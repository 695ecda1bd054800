import type { PgDatabase, PgQueryResultHKT } from "drizzle-orm/pg-core";

/** Either engine, or a transaction on it. Everything in the service that touches data takes one of these. */
export type Database = PgDatabase<PgQueryResultHKT, Record<string, never>>;
