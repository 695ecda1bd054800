// Stores the schema and data of a release for the upgrade test: apps/server/src/tests/upgrade.test.ts.
import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { createTestDatabase } from "@minutes/testing";
import { parseConfig } from "../../config/config.js";
import { createWebhookSettings } from "../../config/webhook-settings.js";
import { fillEveryTable } from "../every-table.js";
import { askAtRandom, serve } from "../same-answers.js";
import { RELEASES } from "./files.js";

const version = process.argv[2];
if (!version || !process.env.TEST_DATABASE_URL) {
  console.error("TEST_DATABASE_URL=postgres://… pnpm release:dump <version, such as 0.1.0>");
  process.exit(2);
}
const database = await createTestDatabase();
if (database.url === null) throw new Error("TEST_ENGINE must be postgres.");
const settings = await createWebhookSettings(
  parseConfig({
    SECRETS_KEY: Buffer.alloc(32, 7).toString("base64"),
    WEBHOOK_ALLOWED_NETWORKS: "127.0.0.0/8",
  }),
  null,
);
const filled = await fillEveryTable(database.db, settings);
const server = await serve(database.connection);
const asked = await askAtRandom(server, filled, { calls: 120 });
await server.close();

const statements = await dumpAsSql(database.url);
await database.close();
const folder = join(RELEASES, version);
await mkdir(folder, { recursive: true });
await writeFile(join(folder, "database.sql.gz"), gzipSync(statements, { level: 9 }));
await writeFile(join(folder, "answers.json.gz"), gzipSync(JSON.stringify({ filled, asked }), { level: 9 }));
console.log(`${folder}: ${statements.length} characters of SQL, ${asked.length} answers`);
process.exit(0);

/** Dumps a PostgreSQL database as plain SQL that both engines accept. Requires `pg_dump`. */
async function dumpAsSql(url: string): Promise<string> {
  const { stdout } = await promisify(execFile)(
    "pg_dump",
    ["--inserts", "--rows-per-insert=50", "--no-owner", "--no-privileges", "--no-comments", url],
    { maxBuffer: 2 ** 27 },
  );
  // Newer versions of pg_dump write psql commands around the SQL.
  return stdout.replaceAll(/^\\.*\n/gm, "");
}
