import { MESSAGES } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { sql } from "drizzle-orm";
import { OPERATOR } from "../actor.js";
import { audit } from "../audit.js";
import { ApiError } from "../errors.js";
import { type CreatedSession, createSession } from "../sessions/index.js";
import { createUser, createWorkspace, joinWorkspace } from "../workspaces/index.js";
import { consumeSetupToken, requireSetupToken } from "./links.js";
import { hashPassword } from "./password-hash.js";

const { companyAccounts, passkeys, passwords } = schema;

/** Returns true while no user can sign in without the operator's help: nobody has a password, passkey or company account. */
export async function needsSetup(db: Database): Promise<boolean> {
  const [row] = await db
    .select({
      some: sql<boolean>`exists (select from ${passwords}) or exists (select from ${passkeys})
        or exists (select from ${companyAccounts})`,
    })
    .from(sql`(values (1)) one`);
  return row?.some !== true;
}

export interface Setup {
  readonly token: string;
  readonly workspaceName: string;
  readonly name: string;
  readonly email: string;
  readonly password: string;
}

/**
 * Sets up a new installation with the link that its start printed: a workspace on the Team plan and its admin, who is
 * signed in. The link is used up only when everything succeeded.
 * @throws ApiError 401 for a link that is unknown, used or expired, and once somebody can sign in; 409 when the e-mail
 *   address is taken.
 */
export async function completeSetup(
  db: Database,
  { token, workspaceName, name, email, password }: Setup,
  label: string | null,
): Promise<CreatedSession> {
  await requireSetupToken(db, token);
  const hash = await hashPassword(password);
  return db.transaction(async (tx) => {
    await consumeSetupToken(tx, token);
    if (!(await needsSetup(tx))) throw new ApiError("UNAUTHORIZED", MESSAGES.linkNotValid);
    const workspace = await createWorkspace(tx, OPERATOR, { name: workspaceName, plan: "team" });
    const { userId } = await createUser(tx, OPERATOR, { email, name });
    await joinWorkspace(tx, OPERATOR, userId, workspace.id, "admin");
    await tx.insert(passwords).values({ userId, hash });
    await audit(tx, OPERATOR, "setup.complete", userId);
    return createBrowserSession(tx, userId, label);
  });
}

/** Signs a user in to a browser. */
export const createBrowserSession = (
  tx: Database,
  userId: string,
  label: string | null,
): Promise<CreatedSession> => createSession(tx, userId, "browser", label);
