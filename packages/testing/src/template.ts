import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connectEmbedded, migratePostgres } from "@minutes/db";
import postgres from "postgres";

/** Environment variables with the locations of this run's templates. */
export const TEMPLATE_FILE = "TEST_TEMPLATE_FILE";
export const TEMPLATE_DATABASE = "TEST_TEMPLATE_DATABASE";
export const CLUSTER_TEMPLATE = "TEST_CLUSTER_TEMPLATE";

/** Generates a database name that no other run uses. */
export const generateName = (): string => `test_${process.pid}_${randomBytes(6).toString("hex")}`;

/** Returns the URL of another database on the same server. */
export function toDatabaseUrl(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}

/** Runs a server-level statement such as `CREATE DATABASE`. */
export async function runServerStatement(serverUrl: string, statement: string): Promise<void> {
  const client = postgres(serverUrl, { max: 1, fetch_types: false, onnotice: () => {} });
  try {
    await client.unsafe(statement);
  } finally {
    await client.end({ timeout: 5 });
  }
}

/** Creates a migrated embedded database as a file: starting from it takes a tenth of the time of migrating. */
export async function makeEmbeddedTemplate(): Promise<{ file: string; remove(): Promise<void> }> {
  const directory = await mkdtemp(join(tmpdir(), "minutes-test-"));
  const connection = await connectEmbedded();
  const dump = await connection.client.dumpDataDir("none");
  await connection.close();
  const file = join(directory, "template.tar");
  await writeFile(file, Buffer.from(await dump.arrayBuffer()));
  return { file, remove: () => rm(directory, { recursive: true, force: true }) };
}

/** Creates a migrated PostgreSQL database as a template. */
export async function makePostgresTemplate(
  serverUrl: string,
): Promise<{ name: string; remove(): Promise<void> }> {
  const name = generateName();
  await runServerStatement(serverUrl, `CREATE DATABASE ${name}`);
  const remove = () => runServerStatement(serverUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  try {
    await migratePostgres(toDatabaseUrl(serverUrl, name));
  } catch (error) {
    await remove();
    throw error;
  }
  return { name, remove };
}
