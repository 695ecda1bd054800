import { access, constants, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { explainUnusable } from "@minutes/db/faults";

/** File name of a backup named by Minutes, such as `minutes-2026-11-22T14-10-18Z.tar.gz`. */
const NAME = /^minutes-(\d{4}-\d\d-\d\dT)(\d\d)-(\d\d)-(\d\d)Z\.tar\.gz(\.age)?$/;

/** A finished backup in the backup directory. */
export interface BackupFile {
  readonly file: string;
  readonly createdAt: Date;
  readonly bytes: number;
}

/** Returns the name of a new backup, by its time in seconds. */
export function nameBackup(directory: string, createdAt: Date, encrypted: boolean): string {
  const time = createdAt.toISOString().slice(0, 19).replaceAll(":", "-");
  return join(directory, `minutes-${time}Z.tar.gz${encrypted ? ".age" : ""}`);
}

/** Requires that this user can write to BACKUP_DIR, if it exists. @throws UnusableDirectoryError */
export async function requireWritable(directory: string): Promise<void> {
  // The slash is what a file refuses.
  await access(`${directory}/`, constants.W_OK).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") explainUnusable("BACKUP_DIR", directory)(error);
  });
}

/** Lists the finished backups, newest first; none if the directory does not exist. */
export async function listBackups(directory: string): Promise<BackupFile[]> {
  const names = await readdir(directory).catch(() => []);
  const found = names.flatMap((name) => {
    const [, day, hours, minutes, seconds] = NAME.exec(name) ?? [];
    return day === undefined ? [] : [{ name, createdAt: new Date(`${day}${hours}:${minutes}:${seconds}Z`) }];
  });
  const files = await Promise.all(
    found.map(async ({ name, createdAt }) => {
      const file = join(directory, name);
      return { file, createdAt, bytes: (await stat(file)).size };
    }),
  );
  return files.sort((one, other) => other.createdAt.getTime() - one.createdAt.getTime());
}

/** Returns the age of the newest finished backup in seconds; infinity if there is none. */
export async function getBackupAge(directory: string): Promise<number> {
  const [newest] = await listBackups(directory).catch(() => []);
  return newest ? Math.max(0, (Date.now() - newest.createdAt.getTime()) / 1_000) : Number.POSITIVE_INFINITY;
}

/** Removes the oldest finished backups beyond `keep`. @returns the removed files */
export async function pruneBackups(directory: string, keep: number): Promise<string[]> {
  const old = (await listBackups(directory)).slice(keep).map(({ file }) => file);
  for (const file of old) await rm(file, { force: true });
  return old;
}
