import { type SQL, sql } from "drizzle-orm";
import type { Database } from "../database.js";
import { writeArray } from "../statement.js";
import { SQL_FUNCTIONS, type SqlFunction } from "./sql-functions.js";

type Executor = Pick<Database, "execute" | "select">;

/** The database's tables, its distributed tables, and the bodies of its functions by name. */
interface Present {
  readonly tables: readonly string[];
  readonly distributed: readonly string[];
  readonly functions: Readonly<Record<string, string>>;
}

const toList = (names: readonly string[]): SQL => sql`unnest(${writeArray(names)}::text::text[])`;

/** Returns the distributed tables; none on a server without Citus. */
export async function listDistributedTables(db: Executor): Promise<string[]> {
  const [can] = await db
    .select({ can: sql<boolean>`to_regclass('pg_catalog.pg_dist_partition') is not null` })
    .from(sql`(values (1)) one`);
  if (!can?.can) return [];
  const rows = await db
    .select({ name: sql<string>`c.relname::text` })
    .from(sql`pg_dist_partition p join pg_class c on c.oid = p.logicalrelid`)
    .where(sql`p.partmethod = 'h' and c.relnamespace = 'public'::regnamespace`);
  return rows.map(({ name }) => name);
}

async function readPresent(db: Executor): Promise<Present> {
  const [row] = await db
    .select({
      tables: sql<string | null>`(select json_agg(c.relname)::text from pg_class c
        where c.relnamespace = 'public'::regnamespace and c.relname in (select ${toList(SQL_FUNCTIONS.map(({ table }) => table))}))`,
      functions: sql<string | null>`(select json_object_agg(p.proname, p.prosrc)::text from pg_proc p
        where p.pronamespace = 'public'::regnamespace and p.proname in (select ${toList(SQL_FUNCTIONS.map(({ name }) => name))}))`,
    })
    .from(sql`(values (1)) one`);
  return {
    tables: JSON.parse(row?.tables ?? "[]"),
    distributed: await listDistributedTables(db),
    functions: JSON.parse(row?.functions ?? "{}"),
  };
}

/**
 * Builds the statement that creates a function. One that queries workers is volatile, so that it sees concurrent
 * writes.
 */
const writeFunction = (
  { name, parameters, columns }: SqlFunction,
  body: string,
  isDistributed: boolean,
): string => `
create or replace function ${name}(${parameters}) returns table (${columns})
language ${isDistributed ? "plpgsql volatile" : "sql stable"} as $body$${
  // Column names are also names of the result.
  isDistributed ? `\n#variable_conflict use_column${body}` : body
}$body$`;

/**
 * Creates missing functions and replaces those written for another placement of their table. Part of migrating, and of
 * distributing tables.
 */
export async function updateSqlFunctions(db: Executor): Promise<void> {
  const { tables, distributed, functions } = await readPresent(db);
  const missing = SQL_FUNCTIONS.filter(({ table }) => tables.includes(table)).flatMap((definition) => {
    const isDistributed = distributed.includes(definition.table);
    const text = writeFunction(definition, isDistributed ? definition.body : definition.query, isDistributed);
    const [, source] = text.split("$body$");
    return functions[definition.name] === source ? [] : [text];
  });
  if (missing.length === 0) return;
  // These functions run only on the coordinator, so don't propagate them. A server without Citus ignores the setting.
  await db.execute(sql`select set_config('citus.enable_ddl_propagation', 'off', false)`);
  for (const text of missing) await db.execute(sql.raw(text));
  await db.execute(sql`select set_config('citus.enable_ddl_propagation', 'on', false)`);
}
