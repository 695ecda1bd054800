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

const TABLES =
  "select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname = 'public'";

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
  templateDigest ??= await getDigest(opened);
  return opened;
}

/** Removes all rows and settings; returns false if the schema differs from the template. */
async function reset(connection: Embedded): Promise<boolean> {
  for (const statement of ["rollback", "discard all", "set timezone = 'UTC'"]) {
    await connection.client.exec(statement);
  }
  if ((await getDigest(connection)) !== templateDigest) return false;
  const { rows } = await connection.client.query<{ name: string }>(TABLES);
  await connection.client.exec(`truncate ${rows.map(({ name }) => name).join(", ")} restart identity;
    select record_start()`);
  // The one row written by migrations.
  await connection.client.exec("insert into search_settings default values");
  return true;
}

async function getDigest(connection: Embedded): Promise<string> {
  const { rows } = await connection.client.query<{ digest: string }>(SCHEMA);
  return rows[0]?.digest ?? "";
}
