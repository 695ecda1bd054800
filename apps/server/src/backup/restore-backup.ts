import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { connectEmbedded, lockDataDir, RESTORING } from "@minutes/db";
import {
  BackupContents,
  BackupError,
  BackupInfo,
  CONTENTS_ENTRY,
  DATABASE,
  FORMAT,
  INFO_ENTRY,
} from "./format.js";
import { countTables } from "./online-backup.js";
import { readArchive } from "./read-archive.js";

/** What a backup holds, after it was read whole and opened. */
export interface RestoredBackup {
  readonly info: BackupInfo;
  readonly rows: Readonly<Record<string, number>>;
  /** Deliveries that were waiting when the backup was made. */
  readonly waitingDeliveries: number;
}

/**
 * Restores a backup into a temporary directory, opens it, compares it with what was noted when it was made, and removes it.
 * @throws BackupError when anything differs
 */
export async function verifyBackup(file: string, passphrase: string | null): Promise<RestoredBackup> {
  const directory = await mkdtemp(join(tmpdir(), "minutes-backup-"));
  try {
    return await unpack(file, passphrase, directory);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/**
 * Restores a backup into a data directory that holds no database. An interrupted one is begun again by the next call;
 * until then, no server starts there.
 * @throws BackupError when the directory holds a database, or as `verifyBackup`; DataDirLockedError
 */
export async function restoreBackup(
  file: string,
  passphrase: string | null,
  dataDir: string,
): Promise<RestoredBackup> {
  const lock = await lockDataDir(dataDir);
  try {
    const kept = (await readdir(dataDir)).filter((name) => name !== "run" && name !== RESTORING);
    if (kept.length > 0)
      throw new BackupError(
        `${dataDir} is not empty: choose a DATA_DIR that holds nothing yet, or move this one away.`,
      );
    const aside = join(dataDir, RESTORING);
    await rm(aside, { recursive: true, force: true });
    await mkdir(aside, { mode: 0o700 });
    const restored = await unpack(file, passphrase, aside).catch(async (error) => {
      await rm(aside, { recursive: true, force: true });
      throw error;
    });
    // The database comes last: a directory without one is not started while RESTORING is there.
    const names = (await readdir(aside)).filter((name) => name !== DATABASE);
    for (const name of [...names, DATABASE]) await rename(join(aside, name), join(dataDir, name));
    await rm(aside, { recursive: true, force: true });
    return restored;
  } finally {
    await lock.release();
  }
}

/** Unpacks an archive, opens the database, which replays the log, and compares it with what was noted. */
async function unpack(file: string, passphrase: string | null, directory: string): Promise<RestoredBackup> {
  const { info, contents } = await writeFiles(file, passphrase, directory);
  await writeFile(join(directory, DATABASE, "backup_label"), contents.label, { mode: 0o600 });
  const { client, close } = await connectEmbedded({ dataDir: directory, migrate: false }).catch(
    (error: Error) => {
      throw new BackupError(`${file} can't be opened: ${error.message}`);
    },
  );
  try {
    const query = async <Row>(statement: string) =>
      (await client.query<Row & Record<string, unknown>>(statement)).rows;
    const rows = await countTables(query, Object.keys(contents.rows));
    const differing = Object.keys(rows).filter((table) => rows[table] !== contents.rows[table]);
    if (differing.length > 0)
      throw new BackupError(
        `${file} is not whole: the rows of ${differing.join(", ")} are not those that were counted.`,
      );
    const [waiting] = await query<{ count: number }>(
      "select count(*)::int as count from deliveries where state in ('pending', 'held')",
    );
    return { info, rows, waitingDeliveries: waiting?.count ?? 0 };
  } finally {
    await close();
  }
}

/** Writes the archive's files, and compares their checksums. */
async function writeFiles(
  file: string,
  passphrase: string | null,
  directory: string,
): Promise<{ info: BackupInfo; contents: BackupContents }> {
  let info: BackupInfo | null = null;
  let contents: BackupContents | null = null;
  const found: Record<string, string> = {};
  for await (const { name, isDirectory, content } of readArchive(file, passphrase)) {
    if (name === INFO_ENTRY) info = parse(BackupInfo, await text(content), file);
    else if (!info) break;
    else if (name === CONTENTS_ENTRY) contents = parse(BackupContents, await text(content), file);
    else {
      const path = join(directory, requireInside(name, file));
      await mkdir(isDirectory ? path : dirname(path), { recursive: true, mode: 0o700 });
      if (isDirectory) for await (const _ of content);
      else found[name] = await writeEntry(path, content);
    }
  }
  if (!info) throw new BackupError(`${file} is no backup of Minutes.`);
  if (!contents) throw new BackupError(`${file} is damaged, or was not finished.`);
  const { files } = contents;
  const differing = Object.keys({ ...files, ...found }).find((name) => files[name] !== found[name]);
  if (differing !== undefined)
    throw new BackupError(`${file} is damaged: ${differing} has another checksum.`);
  return { info, contents };
}

async function writeEntry(path: string, content: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(
    content,
    async function* (chunks: AsyncIterable<Uint8Array>) {
      for await (const chunk of chunks) {
        hash.update(chunk);
        yield chunk;
      }
    },
    createWriteStream(path, { mode: 0o600 }),
  );
  return hash.digest("hex");
}

/** Returns the name of an entry. @throws BackupError when it leads out of the directory */
function requireInside(name: string, file: string): string {
  if (name.startsWith("/") || name.split("/").includes(".."))
    throw new BackupError(`${file} is no backup of Minutes.`);
  return name;
}

/** Reads one of the archive's own entries. @throws BackupError for another layout */
function parse<Output>(
  schema: { safeParse(value: unknown): { success: true; data: Output } | { success: false } },
  json: string,
  file: string,
): Output {
  const parsed = schema.safeParse(JSON.parse(json));
  if (parsed.success) return parsed.data;
  throw new BackupError(
    `${file} has another layout than ${FORMAT}: restore it with the version of Minutes that wrote it.`,
  );
}
