import { type Database, schema } from "@minutes/db";
import { type SQL, sql } from "drizzle-orm";

const { searchSettings } = schema;

/** Time for which a space stays current without a renewal. Renewed when half of it is left. */
const VALID = sql.raw("interval '10 minutes'");
const HALF = sql.raw("interval '5 minutes'");

/**
 * Returns true if this space is current, so that its model may create vectors. Processes with different models would
 * otherwise replace each other's vectors forever.
 *
 * The model that started last takes over. If no process has used the current space for ten minutes, any other does.
 * @param starts whether the model has just started
 */
export async function isCurrentSpace(db: Database, space: string, starts: boolean): Promise<boolean> {
  const taken = await db
    .update(searchSettings)
    .set({ space, spaceUntil: sql`now() + ${VALID}` })
    .where(
      sql`${starts} or space is null or space_until < now() or (space = ${space} and space_until < now() + ${HALF})`,
    )
    .returning({ space: searchSettings.space });
  if (taken.length > 0) return true;
  const [settings] = await db.select({ space: searchSettings.space }).from(searchSettings);
  return settings?.space === space;
}

/** Builds the condition of a document without vectors of a space, in a form that the index by space supports. */
export const isOutside = (space: SQL): SQL => sql`(space is null or space < ${space} or space > ${space})`;
