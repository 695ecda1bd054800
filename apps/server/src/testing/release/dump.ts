// Keeps the schema and data of a release for the test of upgrades: apps/server/src/upgrade.test.ts.
//
//   TEST_DATABASE_URL=… pnpm release:dump <version>
//
// Run it on the commit that is released. It needs PostgreSQL with pgvector and `pg_dump`.
import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { createTestDatabase } from "@minutes/testing";
import { readEnv } from "../../env.js";
import { createWebhookSettings } from "../../webhook-settings.js";
import { fillEveryTable } from "../every-table.js";
import { askAtRandom, serve } from "../same-answers.js";
import { RELEASES } from "./files.js";

const version = process.argv[2];
if (!version) throw new Error("Name the version that is released, such as 0.1.0.");
const database = await createTestDatabase();
if (database.url === null) throw new Error("TEST_ENGINE must be postgres.");
const settings = await createWebhookSettings(
  readEnv({
    SECRETS_KEY: Buffer.alloc(32, 7).toString("base64"),
    WEBHOOK_ALLOWED_NETWORKS: "127.0.0.0/8",
  }),
  null,
);
const filled = await fillEveryTable(database.db, settings);
const server = await serve(database.connection);
const asked = await askAtRandom(server, filled, { calls: 120 });
await server.close();

const { stdout } = await promisify(execFile)(
  "pg_dump",
  ["--inserts", "--rows-per-insert=50", "--no-owner", "--no-privileges", "--no-comments", database.url],
  { maxBuffer: 2 ** 27 },
);
await database.close();
// Newer versions of pg_dump write commands for psql around the SQL.
const statements = stdout.replaceAll(/^\\.*\n/gm, "");
const folder = join(RELEASES, version);
await mkdir(folder, { recursive: true });
await writeFile(join(folder, "database.sql.gz"), gzipSync(statements, { level: 9 }));
await writeFile(join(folder, "answers.json.gz"), gzipSync(JSON.stringify({ filled, asked }), { level: 9 }));
console.log(`${folder}: ${statements.length} characters of SQL, ${asked.length} answers`);
process.exit(0);
