import { createHash } from "node:crypto";
import { mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  connectEmbedded,
  ExplainedError,
  explainUnusable,
  getFaultCode,
  lockDataDir,
  RESTORING,
  SchemaNewerError,
  schema,
} from "@minutes/db";
import { inArray } from "drizzle-orm";
import { readCatalog } from "../archive/catalog.js";
import {
  ArchiveContents,
  ArchiveInfo,
  BATCH_LIMIT,
  CONTENTS_ENTRY,
  DATABASE,
  FILE_LIMIT,
  INFO_ENTRY,
  OTHER_FILES,
  parseBatchName,
  parseEntry,
  TEXT_LIMIT,
} from "../archive/format.js";
import { createLoader, matchTables } from "../archive/load.js";
import { type ArchiveEntry, readArchive, readText } from "../archive/read-entries.js";
import { countSecretsOfOtherKeys } from "../move/secrets.js";
import { requireRoom, withCopy } from "../temporary-files.js";

const { deliveries } = schema;

/** PostgreSQL error codes for values that don't fit a column. */
const UNFIT = /^2[23]/;

/** The content of a backup after it was read completely and opened. */
export interface RestoredBackup {
  readonly info: ArchiveInfo;
  /** Number of rows by table. */
  readonly rows: Readonly<Record<string, number>>;
  /** Deliveries that were pending when the backup was made, which the restored installation will send. */
  readonly waitingDeliveries: number;
  /** Number of secrets that the backup's key doesn't decrypt: they need `SECRETS_KEY`. */
  readonly secretsOfOtherKeys: number;
}

/**
 * Restores a backup into a copy aside in DATA_DIR, compares it with its checksums, and removes it.
 * @throws ExplainedError if anything differs, or the disk has no room
 */
export const verifyBackup = (
  file: string,
  passphrase: string | null,
  dataDir: string,
): Promise<RestoredBackup> =>
  withCopy(dataDir, (directory) => unpack(file, passphrase, directory, () => requireRoom(directory)));

/**
 * Restores a backup into a data directory without a database. The next call restarts an interrupted one; until then no
 * server starts there.
 * @throws ExplainedError if the directory has a database, or as `verifyBackup`; DataDirLockedError
 */
export async function restoreBackup(
  file: string,
  passphrase: string | null,
  dataDir: string,
): Promise<RestoredBackup> {
  await requireEmpty(dataDir);
  const lock = await lockDataDir(dataDir);
  try {
    await requireEmpty(dataDir);
    const aside = join(dataDir, RESTORING);
    await rm(aside, { recursive: true, force: true });
    await mkdir(aside, { mode: 0o700 });
    const restored = await unpack(file, passphrase, aside).catch(async (error) => {
      await rm(aside, { recursive: true, force: true });
      throw error;
    });
    // The database comes last: a directory without one can't be started while RESTORING exists.
    const names = (await readdir(aside)).filter((name) => name !== DATABASE);
    for (const name of [...names, DATABASE]) await rename(join(aside, name), join(dataDir, name));
    await rm(aside, { recursive: true, force: true });
    return restored;
  } finally {
    await lock.release();
  }
}

/** Requires a directory that is empty or missing, or where a restore was interrupted. @throws ExplainedError */
async function requireEmpty(dataDir: string): Promise<void> {
  const names = await readdir(dataDir).catch((error: NodeJS.ErrnoException): string[] => {
    if (error.code === "ENOENT") return [];
    return explainUnusable("DATA_DIR", dataDir)(error);
  });
  const isInterrupted = names.includes(RESTORING) && !names.includes(DATABASE);
  const own = ["run", "lost+found", RESTORING, ...(isInterrupted ? OTHER_FILES : [])];
  if (names.some((name) => !own.includes(name)))
    throw new ExplainedError(`${dataDir} is not empty: choose an empty DATA_DIR, or move this one away.`);
}

/**
 * Loads an archive's rows into a new database with the archive's schema, and compares them with its checksums. The next
 * start migrates it.
 */
async function unpack(
  file: string,
  passphrase: string | null,
  directory: string,
  beforeEntry: () => Promise<void> = async () => {},
): Promise<RestoredBackup> {
  const entries = readArchive(file, passphrase);
  const first = await entries.next();
  if (first.done || first.value.name !== INFO_ENTRY) {
    await entries.return(undefined);
    throw new ExplainedError(`${file} is not a Minutes backup.`);
  }
  const info = parseEntry(ArchiveInfo, await readText(first.value, TEXT_LIMIT, file), file);
  const { db, close } = await connectEmbedded({ dataDir: directory, migrate: info.schema }).catch((error) => {
    if (!(error instanceof SchemaNewerError)) throw error;
    throw new ExplainedError(
      `${file} was made by the newer Minutes ${info.minutes}: restore it with that version.`,
    );
  });
  try {
    const damaged = (table: string) =>
      new ExplainedError(`${file} is damaged: its rows of ${table} differ from those written.`);
    const unfit = (table: string) =>
      new ExplainedError(`${file} does not fit its schema: the table ${table} is another one.`);
    const tables = matchTables(info.tables, (await readCatalog(db)).tables, unfit);
    const loader = await createLoader(db, tables, damaged);
    const files: Record<string, string> = {};
    let contents: ArchiveContents | null = null;
    for await (const entry of entries) {
      await beforeEntry();
      const table = parseBatchName(entry.name);
      if (table !== null)
        await loader.addBatch(table, await readText(entry, BATCH_LIMIT, file)).catch((error) => {
          throw UNFIT.test(getFaultCode(error) ?? "") ? damaged(table) : error;
        });
      else if (entry.name === CONTENTS_ENTRY)
        contents = parseEntry(ArchiveContents, await readText(entry, TEXT_LIMIT, file), file);
      else if (OTHER_FILES.includes(entry.name))
        files[entry.name] = await keepFile(entry, join(directory, entry.name), file);
      else throw new ExplainedError(`${file} is not a Minutes backup: it contains ${entry.name}.`);
    }
    if (!contents) throw new ExplainedError(`${file} is damaged or incomplete.`);
    requireSameFiles(file, contents.files, files);
    await loader.complete(contents, "kept");
    const rows = Object.fromEntries(
      Object.entries(contents.tables).map(([name, table]) => [name, table.rows]),
    );
    const waitingDeliveries = await db.$count(deliveries, inArray(deliveries.state, ["pending", "held"]));
    const secretsOfOtherKeys = await countSecretsOfOtherKeys(db, directory);
    return { info, rows, waitingDeliveries, secretsOfOtherKeys };
  } finally {
    await close();
  }
}

async function keepFile(entry: ArchiveEntry, path: string, file: string): Promise<string> {
  const text = await readText(entry, FILE_LIMIT, file);
  await writeFile(path, text, { mode: 0o600 });
  return createHash("sha256").update(text).digest("hex");
}

/** Requires the recorded checksum of every file. @throws ExplainedError */
function requireSameFiles(
  file: string,
  recorded: Readonly<Record<string, string>>,
  found: Readonly<Record<string, string>>,
): void {
  const differing = Object.keys({ ...recorded, ...found }).find((name) => recorded[name] !== found[name]);
  if (differing !== undefined)
    throw new ExplainedError(`${file} is damaged: the checksum of ${differing} is wrong.`);
}
