import { createSetupToken, createSignInToken, needsSetup, toSignInUrl } from "@minutes/core";
import { type Database, schema } from "@minutes/db";
import { and, asc, eq } from "drizzle-orm";
import type { Sample } from "./demo/keys-file.js";
import type { OpenDatabase } from "./open-database.js";

const { members } = schema;

/** Seconds that the link to the sample is valid. */
const SAMPLE_LINK = 1_800;

/**
 * Creates the one-time link that the start prints. With the sample it signs in as the sample's admin. While nobody can
 * sign in, it sets up the installation.
 * @returns null where somebody can sign in.
 */
export async function createFirstLink(
  { db, publicUrl }: Pick<OpenDatabase, "db" | "publicUrl">,
  sample: Sample | null,
): Promise<string | null> {
  const admin = sample && (await findAdmin(db, sample.workspaceId));
  if (admin) return toSignInUrl(publicUrl.get(), await createSignInToken(db, admin.userId, SAMPLE_LINK));
  if (!(await needsSetup(db))) return null;
  return `${publicUrl.get()}/setup#${await createSetupToken(db)}`;
}

async function findAdmin(db: Database, workspaceId: string) {
  const [admin] = await db
    .select({ userId: members.userId })
    .from(members)
    .where(and(eq(members.workspaceId, workspaceId), eq(members.role, "admin")))
    .orderBy(asc(members.createdAt), asc(members.userId))
    .limit(1);
  return admin ?? null;
}
