import { readFile } from "node:fs/promises";
import { type Connection, connectEmbedded, withTimeout } from "@minutes/db";
import { TEMPLATE_FILE } from "./template.js";

type Embedded = Awaited<ReturnType<typeof connectEmbedded>>;

/** Open databases of this process that no suite uses. Emptying one takes a tenth of the time of opening another. */
const unused: Embedded[] = [];
/** Maximum number of open databases kept for later suites; each takes some 100 MB. */
const MAX_UNUSED = 2;
/** Time in ms after which a database counts as stuck, for example in a transaction left open. */
const RESET_TIMEOUT = 10_000;

/** Computes a digest of tables, columns, constraints, indexes, triggers, functions and sequences. */
const SCHEMA = `select md5(string_agg(part, ',' order by part)) as digest from (
    select 'r' || oid || relname || coalesce(reloptions::text, '') from pg_class where relkind in ('r', 'v', 'i', 'S')
    union all select concat('a', attrelid, attname, atttypid, attnotnull) from pg_attribute where attnum > 0
    union all select 'c' || oid from pg_constraint
    union all select 't' || oid || tgenabled::text from pg_trigger
    union all select concat('p', oid, xmin) from pg_proc where oid >= 16384
  ) as parts(part)`;

const TABLES = `select format('%I.%I', nspname, relname) as name, pg_relation_size(pg_class.oid)::int as bytes
  from pg_class join pg_namespace on pg_namespace.oid = relnamespace where nspname = 'public' and relkind = 'r'`;
/** Size in bytes up to which deleting rows takes less time than truncating tables, which replaces hundreds of files. */
const SMALL = 2 ** 22;
/** Makes the planner assume of tables what it assumes of new ones. */
const FORGET_SIZES = `update pg_class set reltuples = -1, relpages = 0, relallvisible = 0
  where relnamespace = 'public'::regnamespace and relkind = 'r' and (reltuples <> -1 or relpages <> 0)`;
const RESTART_SEQUENCES = `select setval(format('%I.%I', schemaname, sequencename)::regclass, start_value, false)
  from pg_sequences where schemaname = 'public' and last_value is not null`;

/** Plans each prepared statement once: by default a statement is planned five times, which takes as long as running it. */
const GENERIC_PLANS = "set plan_cache_mode = force_generic_plan";
/** `discard all`, except for prepared statements. */
const RESET = [
  ...["rollback", "close all", "reset all", "unlisten *", "select pg_advisory_unlock_all()"],
  ...["discard temp", "discard sequences", "set timezone = 'UTC'", GENERIC_PLANS],
];

let templateDigest: string | undefined;

/**
 * Returns a migrated, empty embedded database. Its `close` passes it to a later suite of this process, unless the
 * schema was changed.
 */
export async function takeEmbedded(): Promise<Connection> {
  let connection: Embedded | undefined;
  while (!connection && unused.length > 0) {
    const candidate = unused.pop() as Embedded;
    const isReset = await withTimeout(reset(candidate), RESET_TIMEOUT, () => false).catch(() => false);
    if (isReset) connection = candidate;
    else void candidate.close().catch(() => {});
  }
  const taken = connection ?? (await open());
  return {
    ...taken,
    close: async () => {
      if (unused.length < MAX_UNUSED && !unused.includes(taken)) unused.push(taken);
      else await taken.close();
    },
  };
}

async function open(): Promise<Embedded> {
  const template = process.env[TEMPLATE_FILE];
  const opened = await connectEmbedded(template ? { from: new Blob([await readFile(template)]) } : {});
  await opened.client.query(GENERIC_PLANS);
  templateDigest ??= await getDigest(opened);
  return opened;
}

/**
 * Removes all rows and settings; returns false if the schema differs from the template. Prepared statements stay, because
 * later suites send the same.
 */
async function reset(connection: Embedded): Promise<boolean> {
  const { client } = connection;
  for (const statement of RESET) await client.query(statement);
  if ((await getDigest(connection)) !== templateDigest) return false;
  await empty(connection);
  await client.query(RESTART_SEQUENCES);
  await client.query("select record_start()");
  // The one row written by migrations.
  await client.query("insert into search_settings default values");
  return true;
}

/** Removes all rows, and the space that they took. */
async function empty({ client }: Embedded): Promise<void> {
  const { rows } = await client.query<{ name: string; bytes: number }>(TABLES);
  const list = (tables: typeof rows) => tables.map(({ name }) => name).join(", ");
  const filled = rows.filter(({ bytes }) => bytes > 0);
  if (filled.length === 0) return;
  const total = filled.reduce((sum, { bytes }) => sum + bytes, 0);
  if (total > SMALL) {
    await client.query(`truncate ${list(rows)}`);
    return;
  }
  await client.query(`do $$ begin
    set local session_replication_role = replica;
    ${filled.map(({ name }) => `delete from ${name};`).join("")}
  end $$`);
  await client.query(`vacuum ${list(filled)}`);
  await client.query(FORGET_SIZES);
}

async function getDigest(connection: Embedded): Promise<string> {
  const { rows } = await connection.client.query<{ digest: string }>(SCHEMA);
  return rows[0]?.digest ?? "";
}
