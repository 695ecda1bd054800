import { createSetupToken, createSignInToken, findFirstStep, toSignInUrl } from "@minutes/core";
import { type Database, schema } from "@minutes/db";
import { and, asc, eq } from "drizzle-orm";
import type { PublicUrl } from "../config/public-url.js";
import type { Sample } from "./keys-file.js";

const { members } = schema;

/** Lifetime of the link to the sample, in seconds. */
const SAMPLE_LINK = 1_800;

/** What gets the first person in, as printed at startup. */
export type Entry =
  /** A one-time link that signs in as the sample's admin, or sets up an empty installation. */
  | { readonly kind: "sample" | "setup"; readonly link: string }
  /** There are users, but none can sign in without a link by `minutes login`. */
  | { readonly kind: "login"; readonly link: null };

/**
 * Creates what gets the first person in. A link that signs in to real meetings isn't printed: logs keep what is printed.
 * @param magicLink whether people can request a link by e-mail
 * @returns null if somebody can sign in
 */
export async function createEntry(
  { db, publicUrl }: { readonly db: Database; readonly publicUrl: PublicUrl },
  sample: Sample | null,
  magicLink: boolean,
): Promise<Entry | null> {
  const admin = sample && (await findAdmin(db, sample.workspaceId));
  if (admin) {
    const token = await createSignInToken(db, admin.userId, SAMPLE_LINK);
    return { kind: "sample", link: toSignInUrl(publicUrl.get(), token) };
  }
  const step = await findFirstStep(db, { magicLink });
  if (step === "setup")
    return { kind: "setup", link: `${publicUrl.get()}/setup#${await createSetupToken(db)}` };
  return step && { kind: "login", link: null };
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
