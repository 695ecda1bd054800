import { Email, LIMITS } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { and, eq } from "drizzle-orm";
import { OPERATOR } from "../actor.js";
import { audit } from "../audit.js";
import { generateId } from "../ids.js";
import type { CreatedSession } from "../sessions/index.js";
import { createUser, joinWorkspace } from "../workspaces/index.js";
import { consumeChallenge, storeChallenge } from "./challenges.js";
import { type CompanyIdentity, createFlowSecret, deriveFlowValue, type OidcClient } from "./oidc-client.js";
import { createBrowserSession } from "./setup.js";

const { companyAccounts, users } = schema;

/** Why nobody was signed in by the provider; the sign-in page has a sentence for each. */
export const OIDC_PROBLEMS = [
  /** The provider could not be reached, or refused. */
  "provider",
  /** The browser did not begin this sign-in, or it took too long. */
  "expired",
  /** The provider did not verify the e-mail address. */
  "unverified",
  /** Nobody has an account with this address. */
  "no-account",
  /** The account with this address belongs to another account of the provider, or never confirmed its address. */
  "other-account",
] as const;
export type OidcProblem = (typeof OIDC_PROBLEMS)[number];

/** Refuses a sign-in by the provider. */
export class OidcRefusal extends Error {
  override name = "OidcRefusal";
  constructor(
    readonly problem: OidcProblem,
    /** The fault of the provider or the network, for the log. */
    override readonly cause?: unknown,
  ) {
    super(problem);
  }
}

/**
 * Begins a sign-in by the provider.
 * @returns where to send the browser, and the secret that it brings back in a cookie.
 * @throws OidcRefusal when the provider can't be reached.
 */
export async function beginOidc(
  db: Database,
  client: OidcClient,
  redirectUri: string,
): Promise<{ url: string; secret: string }> {
  const secret = createFlowSecret();
  const url = await client.authorizationUrl(secret, redirectUri).catch((error: unknown) => {
    throw new OidcRefusal("provider", error);
  });
  await storeChallenge(db, deriveFlowValue(secret, "state"), { purpose: "oidc", userId: null });
  return { url, secret };
}

/**
 * Signs in whom the provider identified. Their account is found by the provider's own id of it; the first time by their
 * e-mail address, which the provider must have verified.
 * @param secret of the browser's cookie; undefined when it has none.
 * @param callbackUrl the address that the browser came back to.
 * @throws OidcRefusal
 */
export async function completeOidc(
  db: Database,
  client: OidcClient,
  secret: string | undefined,
  callbackUrl: string,
  label: string | null,
): Promise<CreatedSession> {
  const use = { purpose: "oidc", userId: null } as const;
  if (secret === undefined || !(await consumeChallenge(db, deriveFlowValue(secret, "state"), use)))
    throw new OidcRefusal("expired");
  const identity = await client.identify(secret, callbackUrl).catch((error: unknown) => {
    throw new OidcRefusal("provider", error);
  });
  return db.transaction(async (tx) => {
    const userId = (await findLinked(tx, identity)) ?? (await linkByEmail(tx, client, identity));
    return createBrowserSession(tx, userId, label);
  });
}

async function findLinked(tx: Database, { issuer, subject }: CompanyIdentity): Promise<string | undefined> {
  const [linked] = await tx
    .select({ userId: companyAccounts.userId })
    .from(companyAccounts)
    .where(and(eq(companyAccounts.issuer, issuer), eq(companyAccounts.subject, subject)));
  return linked?.userId;
}

async function linkByEmail(tx: Database, client: OidcClient, identity: CompanyIdentity): Promise<string> {
  const { issuer, subject } = identity;
  const email = Email.safeParse(identity.email).data;
  if (email === undefined) throw new OidcRefusal("unverified");
  const [user] = await tx
    .select({ userId: users.id, confirmed: users.emailConfirmed })
    .from(users)
    .where(eq(users.email, email));
  // Whoever made the account chose its address and could read what its real owner stores there.
  if (user && !user.confirmed) throw new OidcRefusal("other-account");
  const userId = user?.userId ?? (await createMember(tx, client, { ...identity, email }));
  const linked = await tx
    .insert(companyAccounts)
    .values({ id: generateId("acc"), userId, issuer, subject })
    .onConflictDoNothing()
    .returning({ id: companyAccounts.id });
  if (!linked[0]) throw new OidcRefusal("other-account");
  await audit(tx, { kind: "user", userId }, "user.link", linked[0].id);
  return userId;
}

/** Creates an account for somebody who has none, where the installation lets them join. @throws OidcRefusal */
async function createMember(
  tx: Database,
  { settings: { workspaceId } }: OidcClient,
  { email, name }: { email: string; name: string | null },
): Promise<string> {
  if (workspaceId === null) throw new OidcRefusal("no-account");
  const fallback = email.slice(0, email.indexOf("@"));
  const { userId } = await createUser(tx, OPERATOR, {
    email,
    name: (name ?? fallback).slice(0, LIMITS.nameMax),
  });
  await joinWorkspace(tx, OPERATOR, userId, workspaceId);
  return userId;
}
