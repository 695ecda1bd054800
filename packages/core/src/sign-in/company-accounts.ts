import { MESSAGES } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { and, asc, eq } from "drizzle-orm";
import { audit } from "../access/audit.js";
import type { UserCaller } from "../access/index.js";
import { ApiError } from "../lib/errors.js";

const { companyAccounts } = schema;

/** Lists a user's linked provider accounts. */
export async function listCompanyAccounts(db: Database, userId: string) {
  const accounts = await db
    .select({ id: companyAccounts.id, issuer: companyAccounts.issuer, createdAt: companyAccounts.createdAt })
    .from(companyAccounts)
    .where(eq(companyAccounts.userId, userId))
    .orderBy(asc(companyAccounts.createdAt), asc(companyAccounts.id));
  return { accounts };
}

/**
 * Unlinks a provider account from a user. Signing in there links it again, while both have the same e-mail address.
 * @throws ApiError 404 for another user's link
 */
export async function removeCompanyAccount(
  db: Database,
  { userId }: UserCaller,
  accountId: string,
): Promise<void> {
  await db.transaction(async (tx) => {
    const removed = await tx
      .delete(companyAccounts)
      .where(and(eq(companyAccounts.id, accountId), eq(companyAccounts.userId, userId)))
      .returning({ id: companyAccounts.id });
    if (removed.length === 0) throw new ApiError("NOT_FOUND", MESSAGES.companyAccountNotFound);
    await audit(tx, { kind: "user", userId }, "user.unlink", accountId);
  });
}
