import { resolve } from "node:path";
import { listBackups } from "../backup/folder.js";
import type { Env } from "../env.js";
import { type Check, ok, warn } from "./check.js";

const HOUR_SECONDS = 3_600;

/** Checks that backups are made where they are wanted; nothing where they are not. */
export async function checkBackups(env: Env, now = Date.now()): Promise<Check[]> {
  if (env.DATABASE_URL !== undefined || env.BACKUP_DIR === undefined) return [];
  const directory = resolve(env.BACKUP_DIR);
  const [newest] = await listBackups(directory);
  const name = "Backups";
  if (!newest) return [warn(name, `${directory} holds none: \`minutes backup\` makes one.`)];
  const age = (now - newest.createdAt.getTime()) / 1_000;
  const made = `the newest is ${Math.floor(age / HOUR_SECONDS)} hours old.`;
  if (env.BACKUP_EVERY !== undefined && age > 2 * env.BACKUP_EVERY)
    return [warn(name, `${made} The server's log says why none followed.`)];
  return [ok(name, made)];
}
