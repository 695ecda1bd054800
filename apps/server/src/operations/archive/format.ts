import { ExplainedError } from "@minutes/db/faults";
import { z } from "zod";

/** The layout of archives: rows per table. */
export const FORMAT = 2;
/** First entry of an archive: who wrote it. */
export const INFO_ENTRY = "backup.json";
/** Last entry of an archive. Without it, the archive is incomplete. */
export const CONTENTS_ENTRY = "contents.json";
/** Directory of the database's files in DATA_DIR and in a copy of it. */
export const DATABASE = "db";
/** Files of DATA_DIR included in a backup; both are optional. */
export const OTHER_FILES = ["secrets.key", "sample-keys.json"];

/** Maximum size of an archive's first and last entry, in bytes. */
export const TEXT_LIMIT = 4 * 2 ** 20;
/**
 * Maximum size of a batch in bytes: 2 MB plus one row, up to a recording of 32 MiB. JSON escaping can double the size.
 */
export const BATCH_LIMIT = 80 * 2 ** 20;
/** Maximum size of a file of DATA_DIR, in bytes. */
export const FILE_LIMIT = 2 ** 20;

const Columns = z.array(z.object({ name: z.string(), type: z.string() }));

export const ArchiveInfo = z.object({
  format: z.literal(FORMAT),
  /** The version of Minutes. */
  minutes: z.string(),
  /** The PostgreSQL version of the source. */
  engine: z.string(),
  createdAt: z.iso.datetime(),
  /** The schema's last migration. */
  schema: z.number(),
  /** In insertion order. */
  tables: z.array(z.object({ name: z.string(), columns: Columns })),
});
export type ArchiveInfo = z.infer<typeof ArchiveInfo>;

export const ArchiveContents = z.object({
  /** For each table, the number of rows and the SHA-256 over its entries in order, in hexadecimal. */
  tables: z.record(z.string(), z.object({ rows: z.number(), sha256: z.string() })),
  /** The SHA-256 of each file of DATA_DIR. */
  files: z.record(z.string(), z.string()),
  sequences: z.record(z.string(), z.object({ last: z.string(), called: z.boolean() })),
  /** The number of the next transaction. @see docs/decisions/0160-change-feed.md */
  transaction: z.string().regex(/^-?\d{1,19}$/),
});
export type ArchiveContents = z.infer<typeof ArchiveContents>;

/** Returns the entry name of a batch. */
export const nameBatch = (table: string, number: number): string =>
  `rows/${table}/${String(number).padStart(6, "0")}.jsonl`;

/** Returns the table of a batch entry; null for other entries. */
export const parseBatchName = (name: string): string | null =>
  /^rows\/([a-z_]+)\/\d+\.jsonl$/.exec(name)?.[1] ?? null;

/**
 * Parses one of the archive's own entries.
 * @throws ExplainedError if it is not JSON, or has another layout
 */
export function parseEntry<Output>(schema: z.ZodType<Output>, json: string, file: string): Output {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    throw new ExplainedError(`${file} is damaged, or is not a Minutes backup.`);
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new ExplainedError(
    `${file} has a layout other than ${FORMAT}: restore it with the version of Minutes that wrote it.`,
  );
}

/** Row counts, checksums, sequences and transaction number of a dump. */
export type DumpContents = Omit<ArchiveContents, "files">;
