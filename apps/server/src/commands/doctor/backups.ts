import { existsSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve, sep } from "node:path";
import { UnusableDirectoryError } from "@minutes/db/faults";
import type { Config } from "../../config/config.js";
import { SECRETS_KEY_FILE } from "../../config/webhook-settings.js";
import { listBackups, requireWritable } from "../../operations/backup/folder.js";
import { type Check, fail, mention, ok, warn } from "./check.js";

const HOUR_SECONDS = 3_600;

/** Checks that backups of the embedded database are made; mentions that none are without BACKUP_DIR. */
export async function checkBackups(config: Config, now = Date.now()): Promise<Check[]> {
  if (config.DATABASE_URL !== undefined) return [];
  if (config.BACKUP_DIR === undefined)
    return [
      mention(
        "Backups",
        "by these settings the server makes none: set BACKUP_DIR and BACKUP_EVERY (docs/backup.md).",
      ),
    ];
  const directory = resolve(config.BACKUP_DIR);
  try {
    await requireWritable(directory);
  } catch (error) {
    if (!(error instanceof UnusableDirectoryError)) throw error;
    return [fail("Backups", error.message)];
  }
  return [
    await checkAge(config, directory, now),
    ...checkPlace(config, directory),
    ...checkEncryption(config),
  ];
}

/** Warns if one directory is inside the other, so that backups would be lost with the data. */
function checkPlace({ DATA_DIR }: Config, directory: string): Check[] {
  const data = resolve(DATA_DIR);
  if (!isIn(directory, data) && !isIn(data, directory)) return [];
  return [
    warn(
      "Backups",
      `BACKUP_DIR ${directory} and DATA_DIR ${data} overlap, so both would be lost together: put BACKUP_DIR on another disk.`,
    ),
  ];
}

/** Returns true if `inner` is `outer` or inside it. Follows symbolic links. */
const isIn = (inner: string, outer: string): boolean =>
  `${toReal(inner)}${sep}`.startsWith(`${toReal(outer)}${sep}`);

const toReal = (directory: string): string =>
  existsSync(directory) ? realpathSync(directory) : join(toReal(dirname(directory)), basename(directory));

async function checkAge(config: Config, directory: string, now: number): Promise<Check> {
  const [newest] = await listBackups(directory);
  const name = "Backups";
  if (!newest) return warn(name, `${directory} contains no backup: \`minutes backup\` makes one.`);
  const age = (now - newest.createdAt.getTime()) / 1_000;
  const made = `the newest is ${Math.floor(age / HOUR_SECONDS)} hours old.`;
  if (config.BACKUP_EVERY !== undefined && age > 2 * config.BACKUP_EVERY)
    return warn(name, `${made} The server's log says why no newer one was made.`);
  return ok(name, made);
}

/** Warns if unencrypted backups contain the key for webhook secrets. */
function checkEncryption(config: Config): Check[] {
  if (config.BACKUP_PASSPHRASE !== undefined || !existsSync(join(resolve(config.DATA_DIR), SECRETS_KEY_FILE)))
    return [];
  return [
    warn("Backups", "they are not encrypted and contain secrets.key: set BACKUP_PASSPHRASE to encrypt them."),
  ];
}
