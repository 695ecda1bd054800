import { type SQL, sql } from "drizzle-orm";
import type { Database } from "../database.js";
import { LOOKUPS, type Lookup } from "./lookups.js";

type Executor = Pick<Database, "execute" | "select">;

/** What the database has: its tables, those that are spread, and the texts of its functions by name. */
interface Present {
  readonly tables: readonly string[];
  readonly spread: readonly string[];
  readonly functions: Readonly<Record<string, string>>;
}

const toList = (names: readonly string[]): SQL =>
  sql`json_array_elements_text(${JSON.stringify(names)}::json)`;

/** Returns which tables are spread over workers; none on a server that can't do that. */
export async function listSpreadTables(db: Executor): Promise<string[]> {
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
        where c.relnamespace = 'public'::regnamespace and c.relname in (select ${toList(LOOKUPS.map(({ table }) => table))}))`,
      functions: sql<string | null>`(select json_object_agg(p.proname, p.prosrc)::text from pg_proc p
        where p.pronamespace = 'public'::regnamespace and p.proname in (select ${toList(LOOKUPS.map(({ name }) => name))}))`,
    })
    .from(sql`(values (1)) one`);
  return {
    tables: JSON.parse(row?.tables ?? "[]"),
    spread: await listSpreadTables(db),
    functions: JSON.parse(row?.functions ?? "{}"),
  };
}

/** Writes the statement that creates a lookup. It is volatile where it asks workers, so that it sees what others just wrote. */
const writeFunction = ({ name, parameters, columns }: Lookup, body: string, isSpread: boolean): string => `
create or replace function ${name}(${parameters}) returns table (${columns})
language ${isSpread ? "plpgsql volatile" : "sql stable"} as $lookup$${
  // Names of columns are those of the result as well.
  isSpread ? `\n#variable_conflict use_column${body}` : body
}$lookup$`;

/**
 * Creates the lookups that the database lacks, and those that were made for another place of their table. Part of bringing the
 * schema up to date, and of spreading tables.
 */
export async function prepareLookups(db: Executor): Promise<void> {
  const { tables, spread, functions } = await readPresent(db);
  const missing = LOOKUPS.filter(({ table }) => tables.includes(table)).flatMap((lookup) => {
    const isSpread = spread.includes(lookup.table);
    const text = writeFunction(lookup, isSpread ? lookup.body : lookup.query, isSpread);
    const [, source] = text.split("$lookup$");
    return functions[lookup.name] === source ? [] : [text];
  });
  if (missing.length === 0) return;
  // Statements run on the coordinator alone, and so do its functions. A server without workers does not know the setting.
  await db.execute(sql`select set_config('citus.enable_ddl_propagation', 'off', false)`);
  for (const text of missing) await db.execute(sql.raw(text));
  await db.execute(sql`select set_config('citus.enable_ddl_propagation', 'on', false)`);
}
