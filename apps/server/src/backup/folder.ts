import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";

/** A backup that has a name of ours, such as `minutes-2026-11-22T14-10-18Z.tar.gz`. */
const NAME = /^minutes-(\d{4}-\d\d-\d\dT)(\d\d)-(\d\d)-(\d\d)Z\.tar\.gz(\.age)?$/;
/** What a backup that was ended leaves. */
const UNFINISHED = /^minutes-.*\.tar\.gz(\.age)?\.\d+\.part$/;
/** Milliseconds after which nobody writes an unfinished one any more. */
const ABANDONED = 86_400_000;

/** A finished backup in the directory of backups. */
export interface BackupFile {
  readonly file: string;
  readonly createdAt: Date;
  readonly bytes: number;
}

/** Names a new backup by its time, to the second. */
export function nameBackup(directory: string, createdAt: Date, encrypted: boolean): string {
  const time = createdAt.toISOString().slice(0, 19).replaceAll(":", "-");
  return join(directory, `minutes-${time}Z.tar.gz${encrypted ? ".age" : ""}`);
}

/** Lists the finished backups, newest first; none where there is no such directory. */
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

/** Removes the oldest finished backups beyond `keep`, and what ended ones left. @returns the files that were removed */
export async function pruneBackups(directory: string, keep: number): Promise<string[]> {
  const old = (await listBackups(directory)).slice(keep).map(({ file }) => file);
  const unfinished = (await readdir(directory)).filter((name) => UNFINISHED.test(name));
  for (const name of unfinished) {
    const file = join(directory, name);
    const { mtimeMs } = await stat(file);
    if (Date.now() - mtimeMs > ABANDONED) old.push(file);
  }
  for (const file of old) await rm(file, { force: true });
  return old;
}
