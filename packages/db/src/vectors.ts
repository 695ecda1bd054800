import { sql } from "drizzle-orm";
import type { Database } from "./database.js";

/**
 * Tables for vectors, on a server that has pgvector. Not a migration, since the extension may come later, or never.
 * Any number of dimensions fits, so that a change of model needs no change of the schema. `halfvec` needs pgvector 0.7:
 * with an older one vectors take twice the space. A trigger on `search_documents` takes vectors away with their meeting, as it
 * does with postings.
 */
const STATEMENTS = [
  // Tables of earlier versions: vectors are made again, and nothing is learnt from words any more.
  sql`drop table if exists search_vectors, search_terms`,
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
  // Of earlier versions. Looks first: a start must not wait for a lock.
  sql`do $$ begin
    if exists (select from pg_constraint
      where conrelid = 'search_windows'::regclass and conname = 'search_windows_document_fkey') then
      alter table search_windows drop constraint search_windows_document_fkey;
    end if;
  end $$`,
];

type Executor = Pick<Database, "execute" | "select">;

/** Returns true when vectors can be stored: pgvector is installed, and so are the tables. */
export async function hasVectors(db: Executor): Promise<boolean> {
  const [row] = await db
    .select({
      has: sql<boolean>`to_regtype('vector') is not null and to_regclass('search_windows') is not null`,
    })
    .from(sql`(values (1)) one`);
  return row?.has === true;
}

/** Makes room for vectors where the server can store them. Part of bringing the schema up to date. */
export async function prepareVectors(db: Executor): Promise<void> {
  const [row] = await db
    .select({ can: sql<boolean>`to_regtype('vector') is not null` })
    .from(sql`(values (1)) one`);
  if (row?.can) for (const statement of STATEMENTS) await db.execute(statement);
}
