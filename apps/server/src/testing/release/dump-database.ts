import { execFile } from "node:child_process";
import { promisify } from "node:util";

/** Dumps a PostgreSQL database as plain SQL that both engines accept. Requires `pg_dump`. */
export async function dumpDatabase(url: string): Promise<string> {
  const { stdout } = await promisify(execFile)(
    "pg_dump",
    ["--inserts", "--rows-per-insert=50", "--no-owner", "--no-privileges", "--no-comments", url],
    { maxBuffer: 2 ** 27 },
  );
  // Newer versions of pg_dump write psql commands around the SQL.
  return stdout.replaceAll(/^\\.*\n/gm, "");
}
