import { join } from "node:path";
import { PGlite } from "@electric-sql/pglite";
import { vector } from "@electric-sql/pglite-pgvector";
import postgres from "postgres";

/** Runs a statement directly with its driver. */
type Ask = (text: string, values: readonly unknown[]) => Promise<Record<string, unknown>[]>;

/** Opens the configured database: PostgreSQL with DATABASE_URL, PGlite with DATA_DIR. */
export async function openEngine(): Promise<Ask> {
  const { DATABASE_URL, DATABASE_POOL, DATA_DIR } = process.env;
  if (DATABASE_URL) {
    const client = postgres(DATABASE_URL, { max: Number(DATABASE_POOL) });
    return async (text, values) => client.unsafe(text, values as never[], { prepare: true });
  }
  const engine = await PGlite.create({ dataDir: join(DATA_DIR ?? "", "db"), extensions: { vector } });
  return async (text, values) => (await engine.query<Record<string, unknown>>(text, [...values])).rows;
}
