import { MESSAGES } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { and, asc, eq } from "drizzle-orm";
import { audit } from "../audit.js";
import { ApiError } from "../errors.js";

const { companyAccounts } = schema;

/** Lists the provider accounts that sign a user in. */
export async function listCompanyAccounts(db: Database, userId: string) {
  const accounts = await db
    .select({ id: companyAccounts.id, issuer: companyAccounts.issuer, createdAt: companyAccounts.createdAt })
    .from(companyAccounts)
    .where(eq(companyAccounts.userId, userId))
    .orderBy(asc(companyAccounts.createdAt), asc(companyAccounts.id));
  return { accounts };
}

/**
 * Removes the link between a user and their provider account. It is made again when they sign in there while both have
 * the same e-mail address.
 * @throws ApiError 404 for the link of anybody else
 */
export async function removeCompanyAccount(db: Database, userId: string, accountId: string): Promise<void> {
  await db.transaction(async (tx) => {
    const removed = await tx
      .delete(companyAccounts)
      .where(and(eq(companyAccounts.id, accountId), eq(companyAccounts.userId, userId)))
      .returning({ id: companyAccounts.id });
    if (removed.length === 0) throw new ApiError("NOT_FOUND", MESSAGES.companyAccountNotFound);
    await audit(tx, { kind: "user", userId }, "user.unlink", accountId);
  });
}
