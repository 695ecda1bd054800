import { sql } from "drizzle-orm";
import type { Database } from "./database.js";

/**
 * Tables for vectors, on a server that has pgvector. Not a migration, since the extension may come later, or never.
 * Any number of dimensions fits, so that a change of model needs no change of the schema.
 */
const TABLES = [
  sql`create table if not exists search_vectors (
    document integer not null references search_documents (document) on delete cascade,
    chunk smallint not null,
    vector vector not null,
    primary key (document, chunk)
  )`,
  // Words that were learnt from a workspace's meetings: they are content, and go with the next learning.
  sql`create table if not exists search_terms (
    workspace_id text collate "C" not null references workspaces (id) on delete cascade,
    generation integer not null,
    term text collate "C" not null,
    vector vector not null,
    primary key (workspace_id, generation, term)
  )`,
];

type Executor = Pick<Database, "execute" | "select">;

/** True when vectors can be stored: pgvector is installed, and so are the tables. */
export async function hasVectors(db: Executor): Promise<boolean> {
  const [row] = await db
    .select({
      has: sql<boolean>`to_regtype('vector') is not null and to_regclass('search_vectors') is not null`,
    })
    .from(sql`(values (1)) one`);
  return row?.has === true;
}

/** Makes room for vectors where the server can store them. Part of bringing the schema up to date. */
export async function prepareVectors(db: Executor): Promise<void> {
  const [row] = await db
    .select({ can: sql<boolean>`to_regtype('vector') is not null` })
    .from(sql`(values (1)) one`);
  if (row?.can) for (const table of TABLES) await db.execute(table);
}
