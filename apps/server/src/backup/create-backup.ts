import { lstat, readdir, stat } from "node:fs/promises";
import { join, relative } from "node:path";
import type { Operator } from "../operator/client.js";
import { CONTENTS_ENTRY, DATABASE, FORMAT, INFO_ENTRY, OTHER_FILES } from "./format.js";
import { type ArchiveWriter, writeArchive } from "./write-archive.js";

/** Files of the database's directory that a copy does not need, or that belong to the process that has it open. */
const LEFT_OUT =
  /^(pg_wal\/|pg_replslot\/.|pg_stat_tmp\/.|postmaster\.pid$|backup_label)|\/pg_internal\.init/;
/** Says where the log begins, so it is copied when everything else is there. */
const CONTROL_FILE = "global/pg_control";

export interface BackupOptions {
  readonly dataDir: string;
  /** Null: the archive is not encrypted. */
  readonly passphrase: string | null;
  /** The version of Minutes. */
  readonly version: string;
  /** Is told how many of how many files are in the archive. */
  readonly onProgress: (done: number, all: number) => void;
}

export interface BackupSummary {
  readonly file: string;
  readonly bytes: number;
  readonly rows: Readonly<Record<string, number>>;
  readonly encrypted: boolean;
}

/**
 * Writes a backup of the embedded database into a new file, while the server goes on. The file stands for the moment at which
 * the last of the database's files was copied.
 * @throws BackupError when the file exists; ApiError 409 when the backup was interrupted
 * @see docs/decisions/0183-online-backups.md
 */
export async function createBackup(
  operator: Operator,
  file: string,
  { dataDir, passphrase, version, onProgress }: BackupOptions,
): Promise<BackupSummary> {
  let rows: Readonly<Record<string, number>> = {};
  await writeArchive(file, passphrase, async (archive) => {
    const { id, engine } = await operator.backups.begin.mutate();
    try {
      const info = { format: FORMAT, minutes: version, engine, createdAt: new Date().toISOString() };
      await archive.addText(INFO_ENTRY, JSON.stringify(info));
      const files: Record<string, string> = {};
      await addDatabase(archive, dataDir, files, onProgress);
      const end = await operator.backups.finish.mutate({ id });
      await addFile(archive, dataDir, `${DATABASE}/${CONTROL_FILE}`, files);
      const log = await readdir(join(dataDir, DATABASE, "pg_wal"));
      for (const name of log.filter(
        (name) => name >= end.log.first && name <= end.log.last && /^[0-9A-F]{24}$/.test(name),
      ))
        await addFile(archive, dataDir, `${DATABASE}/pg_wal/${name}`, files);
      for (const name of OTHER_FILES) await addFile(archive, dataDir, name, files);
      await archive.addText(CONTENTS_ENTRY, JSON.stringify({ files, label: end.label, rows: end.rows }));
      rows = end.rows;
    } catch (error) {
      await operator.backups.abandon.mutate({ id }).catch(() => {});
      throw error;
    }
  });
  return { file, bytes: (await stat(file)).size, rows, encrypted: passphrase !== null };
}

/** Adds the database's files but its log and its control file, which are copied at the end. */
async function addDatabase(
  archive: ArchiveWriter,
  dataDir: string,
  files: Record<string, string>,
  onProgress: (done: number, all: number) => void,
): Promise<void> {
  const database = join(dataDir, DATABASE);
  const entries = await readdir(database, { withFileTypes: true, recursive: true });
  const named = entries
    .map((entry) => ({ name: relative(database, join(entry.parentPath, entry.name)), entry }))
    .filter(({ name }) => !LEFT_OUT.test(name) && name !== CONTROL_FILE)
    .sort((one, other) => (one.name < other.name ? -1 : 1));
  for (const [at, { name, entry }] of named.entries()) {
    const entryName = `${DATABASE}/${name}`;
    if (entry.isDirectory()) await archive.addDirectory(entryName);
    else if (entry.isFile()) await addFile(archive, dataDir, entryName, files);
    onProgress(at + 1, named.length);
  }
}

/** Adds one file of DATA_DIR and notes its checksum; nothing where the file has gone. */
async function addFile(
  archive: ArchiveWriter,
  dataDir: string,
  name: string,
  files: Record<string, string>,
): Promise<void> {
  const path = join(dataDir, name);
  const found = await lstat(path).catch(() => null);
  if (!found?.isFile()) return;
  const checksum = await archive.addFile(name, path);
  if (checksum !== null) files[name] = checksum;
}
