import { type Database, writeArray } from "@minutes/db";
import { sql } from "drizzle-orm";

/** Deletes those of some people who are in no meeting any more. The database does it itself for deleted meetings. */
export async function forgetPeople(
  tx: Database,
  people: readonly (string | null | undefined)[],
): Promise<void> {
  const ids = [...new Set(people.filter((id) => id !== null && id !== undefined))];
  if (ids.length > 0) await tx.execute(sql`select forget_people(${writeArray(ids)}::text::text[])`);
}
