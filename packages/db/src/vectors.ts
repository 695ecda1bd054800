import { sql } from "drizzle-orm";
import type { Database } from "./database.js";

/**
 * Tables for vectors, on a server with pgvector. Not a migration, because the extension can be installed later or
 * never. Vectors of any dimension fit, so a new model needs no schema change. `halfvec` requires pgvector 0.7; with an
 * older version vectors take twice the space. A trigger on `search_documents` deletes a meeting's vectors.
 */
const STATEMENTS = [
  sql`do $$ begin
    if to_regtype('search_vector') is null then
      execute 'create domain search_vector as ' || coalesce(to_regtype('halfvec')::text, 'vector');
    end if;
  end $$`,
  sql`create table if not exists search_windows (
    document integer not null,
    position integer not null,
    chunk smallint not null,
    vector search_vector not null,
    primary key (document, position)
  )`,
];

type Executor = Pick<Database, "execute" | "select">;

/** Returns true if vectors can be stored: pgvector and the tables exist. */
export async function hasVectors(db: Executor): Promise<boolean> {
  const [row] = await db
    .select({
      has: sql<boolean>`to_regtype('vector') is not null and to_regclass('search_windows') is not null`,
    })
    .from(sql`(values (1)) one`);
  return row?.has === true;
}

/** Creates the vector tables if the server supports them. Part of migrating. */
export async function createVectorTables(db: Executor): Promise<void> {
  const [row] = await db
    .select({ can: sql<boolean>`to_regtype('vector') is not null and to_regclass('search_windows') is null` })
    .from(sql`(values (1)) one`);
  // If nothing is missing, a user who can't create tables can start.
  if (row?.can) for (const statement of STATEMENTS) await db.execute(statement);
}
