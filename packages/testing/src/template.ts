import { createHash, randomBytes } from "node:crypto";
import { copyFile, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
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

/**
 * Creates a migrated embedded database as a file: starting from it takes a tenth of the time of migrating. Reuses the
 * file of an earlier run with the same migrations and engine.
 */
export async function makeEmbeddedTemplate(): Promise<{ file: string; remove(): Promise<void> }> {
  const directory = await mkdtemp(join(tmpdir(), "minutes-test-"));
  const file = join(directory, "template.tar");
  const cached = join(CACHE, `embedded-${await hashSources()}.tar`);
  try {
    await copyFile(cached, file);
  } catch {
    await writeFile(file, await dumpMigrated());
    // Written aside, so that another run never copies half a file.
    await rm(CACHE, { recursive: true, force: true });
    await mkdir(CACHE, { recursive: true });
    const aside = `${cached}.${process.pid}`;
    await copyFile(file, aside).then(() => rename(aside, cached));
  }
  return { file, remove: () => rm(directory, { recursive: true, force: true }) };
}

/** The last template, for later runs. */
const CACHE = fileURLToPath(new URL("../node_modules/.cache/template", import.meta.url));
const DB = fileURLToPath(new URL("../../db/", import.meta.url));

/** Computes a digest of the sources of an empty database: migrations, the code that runs them, and the engine. */
async function hashSources(): Promise<string> {
  const hash = createHash("sha256");
  for (const folder of ["migrations", "src"]) {
    const entries = await readdir(join(DB, folder), { recursive: true, withFileTypes: true });
    const files = entries
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name));
    for (const path of files.sort()) hash.update(path.slice(DB.length)).update(await readFile(path));
  }
  hash.update(await readFile(join(DB, "package.json"))).update(process.version);
  return hash.digest("hex").slice(0, 16);
}

/** Migrates a database in memory. @returns its files as a tar archive */
async function dumpMigrated(): Promise<Buffer> {
  const connection = await connectEmbedded();
  const dump = await connection.client.dumpDataDir("none");
  await connection.close();
  return Buffer.from(await dump.arrayBuffer());
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
