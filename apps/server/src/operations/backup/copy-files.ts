import { constants } from "node:fs";
import { copyFile, mkdir, readdir, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { DATABASE } from "../archive/format.js";
import { requireRoom } from "../temporary-files.js";
import type { BackupSteps } from "./online-backup.js";

/** Files of the database's directory that a copy does not need, or that belong to the process that has it open. */
const LEFT_OUT =
  /^(pg_wal\/|pg_replslot\/.|pg_stat_tmp\/.|postmaster\.pid$|backup_label)|\/pg_internal\.init/;
/** Records where the log begins, so it is copied last. */
const CONTROL_FILE = "global/pg_control";
const WAL_SEGMENT = /^[0-9A-F]{24}$/;

/**
 * Copies the embedded database's files while statements run, using PostgreSQL's online backup. The copy has the state
 * at the end of the call.
 * @param to an empty directory
 * @throws ApiError 409 if the backup was interrupted; ExplainedError if the disk has no room
 */
export async function copyFiles(backups: BackupSteps, dataDir: string, to: string): Promise<void> {
  const [from, copy] = [join(dataDir, DATABASE), join(to, DATABASE)];
  const { id } = await backups.begin();
  try {
    await mkdir(copy, { recursive: true, mode: 0o700 });
    const entries = await readdir(from, { withFileTypes: true, recursive: true });
    for (const entry of entries) {
      const name = relative(from, join(entry.parentPath, entry.name));
      if (LEFT_OUT.test(name) || name === CONTROL_FILE) continue;
      if (entry.isDirectory()) await mkdir(join(copy, name), { recursive: true, mode: 0o700 });
      else if (entry.isFile()) await copyIfThere(join(from, name), join(copy, name));
    }
    const { label, log } = await backups.finish(id);
    await copyIfThere(join(from, CONTROL_FILE), join(copy, CONTROL_FILE));
    for (const name of await readdir(join(from, "pg_wal")))
      if (WAL_SEGMENT.test(name) && name >= log.first && name <= log.last)
        await copyIfThere(join(from, "pg_wal", name), join(copy, "pg_wal", name));
    await writeFile(join(copy, "backup_label"), label, { mode: 0o600 });
  } finally {
    await backups.release(id).catch(() => {});
  }
}

/** Copies a file, as a reflink where supported; no-op if it is gone. */
async function copyIfThere(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true, mode: 0o700 });
  await requireRoom(dirname(to), (await stat(from).catch(() => null))?.size);
  await copyFile(from, to, constants.COPYFILE_FICLONE).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
    await rm(to, { force: true });
  });
}
