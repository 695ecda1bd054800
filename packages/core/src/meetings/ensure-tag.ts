import { type Database, schema } from "@minutes/db";
import { and, eq, sql } from "drizzle-orm";
import { generateId } from "../lib/ids.js";

const { tags } = schema;

/** Default colors of new tags, in rotation. */
const COLORS = ["#2563EB", "#16A34A", "#D97706", "#DB2777", "#7C3AED", "#0891B2", "#DC2626", "#65A30D"];

/**
 * Returns an owner's tag by name, or creates it; it stays until the transaction ends. An existing tag keeps its color.
 * @returns the tag with its color
 */
export async function ensureTag(
  tx: Database,
  userId: string,
  name: string,
  color?: string,
): Promise<{ id: string; color: string }> {
  const [known] = await tx
    .select({ id: tags.id, color: tags.color })
    .from(tags)
    .where(and(eq(tags.userId, userId), eq(tags.name, name)))
    .for("key share");
  if (known) return known;
  const taken = sql<string>`(array[${sql.join(
    COLORS.map((value) => sql`${value}`),
    sql`, `,
  )}])[
    1 + (select count(*) from ${tags} where user_id = ${userId})::int % ${COLORS.length}]`;
  const [tag] = await tx
    .insert(tags)
    .values({ id: generateId("tag"), userId, name, color: color ?? taken })
    // A no-op update returns the row.
    .onConflictDoUpdate({ target: [tags.userId, tags.name], set: { name } })
    .returning({ id: tags.id, color: tags.color });
  if (!tag) throw new Error("A tag was neither made nor found.");
  return tag;
}
