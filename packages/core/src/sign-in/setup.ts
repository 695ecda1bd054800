import { MESSAGES } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { sql } from "drizzle-orm";
import { OPERATOR } from "../access/actor.js";
import { audit } from "../access/audit.js";
import type { Visitor } from "../access/callers.js";
import { ApiError } from "../lib/errors.js";
import { createWorkspace, enterWorkspace, registerUser } from "../workspaces/index.js";
import { consumeSetupToken, requireSetupToken } from "./links.js";
import { hashPassword } from "./password-hash.js";
import { type CreatedSession, createSession } from "./sessions/create.js";

const { companyAccounts, passkeys, passwords, users } = schema;

/** What gets the first person in: the set-up of an empty installation, or an operator's link for an existing user. */
type FirstStep = "setup" | "link";

/**
 * Finds the first step while no user can sign in without the operator's help: nobody has a password, passkey or company
 * account, and no account can receive a link by e-mail.
 * @returns null once somebody can sign in
 */
export async function findFirstStep(
  db: Database,
  { magicLink }: { readonly magicLink: boolean },
): Promise<FirstStep | null> {
  const [row] = await db
    .select({
      populated: sql<boolean>`exists (select from ${users})`,
      open: sql<boolean>`exists (select from ${passwords}) or exists (select from ${passkeys})
        or exists (select from ${companyAccounts}) or (${magicLink}::boolean and exists (select from ${users}))`,
    })
    .from(sql`(values (1)) one`);
  if (row?.open === true) return null;
  return row?.populated === true ? "link" : "setup";
}

export interface Setup {
  readonly token: string;
  readonly workspaceName: string;
  readonly name: string;
  readonly email: string;
  /** Omitted if people sign in with e-mailed links and not with passwords. */
  readonly password?: string | undefined;
}

/**
 * Sets up a new installation with the printed link: creates a workspace on the Team plan and its admin, and signs the
 * admin in. The link is used up only on success.
 * @throws ApiError 401 for an unknown, used or expired link, and once there are users; 409 if the e-mail address
 * is taken; 400 if a required password is missing
 */
export async function completeSetup(
  db: Database,
  ways: { readonly magicLink: boolean; readonly password: boolean },
  { token, workspaceName, name, email, password }: Setup,
  visitor: Visitor,
): Promise<CreatedSession> {
  if (password === undefined && (ways.password || !ways.magicLink))
    throw new ApiError("BAD_REQUEST", MESSAGES.setupNeedsPassword);
  await requireSetupToken(db, token);
  const hash = password === undefined ? null : await hashPassword(password, visitor);
  return db.transaction(async (tx) => {
    await consumeSetupToken(tx, token);
    if ((await findFirstStep(tx, ways)) !== "setup")
      throw new ApiError("UNAUTHORIZED", MESSAGES.linkNotValid);
    const workspace = await createWorkspace(tx, OPERATOR, { name: workspaceName, plan: "team" });
    const { userId } = await registerUser(tx, { email, name });
    const actor = { kind: "user", userId } as const;
    await enterWorkspace(tx, actor, userId, workspace.id, "admin");
    if (hash !== null) await tx.insert(passwords).values({ userId, hash });
    await audit(tx, actor, "setup.complete", userId);
    return createBrowserSession(tx, userId, "setup", visitor);
  });
}

/** Signs a user in to a browser. */
export const createBrowserSession = (
  tx: Database,
  userId: string,
  method: schema.SignInMethod,
  { label, network }: Pick<Visitor, "label" | "network">,
): Promise<CreatedSession> =>
  createSession(tx, userId, "browser", label, { kind: "user", userId }, { method, network });
