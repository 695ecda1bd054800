import { createSetupToken, createSignInToken, needsSetup, toSignInUrl } from "@minutes/core";
import { type Database, schema } from "@minutes/db";
import { and, asc, eq } from "drizzle-orm";
import type { PublicUrl } from "../config/public-url.js";
import type { Sample } from "./keys-file.js";

const { members } = schema;

/** Lifetime of the link to the sample, in seconds. */
const SAMPLE_LINK = 1_800;

/**
 * Creates the one-time link printed at startup. With the sample, it signs in as the sample's admin. While nobody can
 * sign in, it sets up the installation.
 * @param magicLink whether people can request a link by e-mail
 * @returns null if somebody can sign in
 */
export async function createStartupLink(
  { db, publicUrl }: { readonly db: Database; readonly publicUrl: PublicUrl },
  sample: Sample | null,
  magicLink: boolean,
): Promise<string | null> {
  const admin = sample && (await findAdmin(db, sample.workspaceId));
  if (admin) return toSignInUrl(publicUrl.get(), await createSignInToken(db, admin.userId, SAMPLE_LINK));
  if (!(await needsSetup(db, { magicLink }))) return null;
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
