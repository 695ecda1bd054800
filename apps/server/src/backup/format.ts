import { z } from "zod";

/** The number of the archive's layout: a reader refuses others. */
export const FORMAT = 1;
/** The first entry of an archive: what wrote it. */
export const INFO_ENTRY = "backup.json";
/** The last entry of an archive: an archive without it was not finished. */
export const CONTENTS_ENTRY = "contents.json";
/** The directory of the database's files, in the archive and in DATA_DIR. */
export const DATABASE = "db";
/** Files of DATA_DIR that belong to a backup besides the database; either may be absent. */
export const OTHER_FILES = ["secrets.key", "sample-keys.json"];

export const BackupInfo = z.object({
  format: z.literal(FORMAT),
  /** The version of Minutes. */
  minutes: z.string(),
  /** The version of the embedded PostgreSQL. */
  engine: z.string(),
  createdAt: z.iso.datetime(),
});
export type BackupInfo = z.infer<typeof BackupInfo>;

export const BackupContents = z.object({
  /** The SHA-256 of each file, in hexadecimal. */
  files: z.record(z.string(), z.string()),
  /** PostgreSQL's label of the backup, by which it replays the log from the right place. */
  label: z.string(),
  /** The rows of each table when the backup ended; large tables are left out. */
  rows: z.record(z.string(), z.number()),
});
export type BackupContents = z.infer<typeof BackupContents>;

/** A backup that can't be made, or can't be used; the message says why, and what to do. */
export class BackupError extends Error {
  override name = "BackupError";
}
