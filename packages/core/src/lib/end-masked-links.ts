import { type Database, schema } from "@minutes/db";
import { and, eq } from "drizzle-orm";

const { publicLinks } = schema;

/**
 * Ends a meeting's public links that mask names. Called where names are forgotten, such as those of an erased person: texts still
 * have them, and what isn't known can't be masked.
 */
export async function endMaskedLinks(tx: Database, meetingId: string): Promise<void> {
  await tx.delete(publicLinks).where(and(eq(publicLinks.meetingId, meetingId), publicLinks.masksNames));
}
