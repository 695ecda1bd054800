import { type Database, ExplainedError } from "@minutes/db";
import { sql } from "drizzle-orm";
import { readRow } from "../archive/rows.js";

/** The content of a restored database. */
export interface RestoredRows {
  readonly rows: Readonly<Record<string, number>>;
  /** Deliveries that were pending when the backup was made. */
  readonly waitingDeliveries: number;
}

/** Requires the recorded checksum of every file. @throws ExplainedError */
export function requireSameFiles(
  file: string,
  noted: Readonly<Record<string, string>>,
  found: Readonly<Record<string, string>>,
): void {
  const differing = Object.keys({ ...noted, ...found }).find((name) => noted[name] !== found[name]);
  if (differing !== undefined)
    throw new ExplainedError(`${file} is damaged: the checksum of ${differing} is wrong.`);
}

/** Counts the deliveries that the restored installation will send. */
export async function countWaitingDeliveries(db: Database): Promise<number> {
  const { count } = await readRow<{ count: string }>(
    db,
    sql`select count(*)::text as count from deliveries where state in ('pending', 'held')`,
  );
  return Number(count);
}
