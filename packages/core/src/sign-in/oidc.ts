import { Email, LIMITS, Name } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { and, eq } from "drizzle-orm";
import { audit } from "../access/audit.js";
import type { Visitor } from "../access/callers.js";
import { generateId } from "../lib/ids.js";
import { enterWorkspace, registerUser } from "../workspaces/index.js";
import { recordFailedSignIn } from "./attempts.js";
import { consumeChallenge, storeChallenge } from "./challenges.js";
import { confirmAddress } from "./confirm-address.js";
import { type CompanyIdentity, createFlowSecret, deriveFlowValue, type OidcClient } from "./oidc-client.js";
import { findSessionUser } from "./sessions/manage.js";
import { createBrowserSession } from "./setup.js";
import type { ProvenSignIn } from "./sign-in.js";

const { companyAccounts, users } = schema;

/** Why a sign-in with the provider failed; the sign-in page has a message for each. */
const OIDC_PROBLEMS = [
  /** The provider could not be reached, or refused. */
  "provider",
  /** Another browser started this sign-in, or it took too long. */
  "expired",
  /** The provider did not verify the e-mail address. */
  "unverified",
  /** No account has this address. */
  "no-account",
  /** The account with this address is linked to another provider account. */
  "other-account",
] as const;
export type OidcProblem = (typeof OIDC_PROBLEMS)[number];

/** Thrown when a sign-in with the provider is refused. */
export class OidcRefusal extends Error {
  override name = "OidcRefusal";
  constructor(
    readonly problem: OidcProblem,
    /** The fault of the provider or network, for the log. */
    override readonly cause?: unknown,
    /** The refused account, if one was found. */
    readonly userId?: string,
  ) {
    super(problem);
  }
}

/**
 * Starts a sign-in with the provider.
 * @returns the URL to redirect the browser to, and the secret for its cookie
 * @throws OidcRefusal if the provider can't be reached
 */
export async function beginOidc(
  db: Database,
  client: OidcClient,
  redirectUri: string,
): Promise<{ url: string; secret: string }> {
  const secret = createFlowSecret();
  const url = await client.createAuthorizationUrl(secret, redirectUri).catch((error: unknown) => {
    throw new OidcRefusal("provider", error);
  });
  await storeChallenge(db, deriveFlowValue(secret, "state"), { purpose: "oidc", userId: null });
  return { url, secret };
}

/**
 * Signs in the user identified by the provider. Their account is found by the provider's account id or, the first time,
 * by an e-mail address that the provider has verified.
 * @param secret the browser's cookie; undefined if it has none
 * @param callbackUrl the URL that the browser returned to
 * @param visitor.sessionToken the browser's session; undefined if nobody is signed in there
 * @throws OidcRefusal
 */
export async function completeOidc(
  db: Database,
  client: OidcClient,
  secret: string | undefined,
  callbackUrl: string,
  visitor: Pick<Visitor, "label" | "network"> & { readonly sessionToken: string | undefined },
): Promise<ProvenSignIn> {
  const use = { purpose: "oidc", userId: null } as const;
  if (secret === undefined || !(await consumeChallenge(db, deriveFlowValue(secret, "state"), use)))
    throw new OidcRefusal("expired");
  const identity = await client.identify(secret, callbackUrl).catch((error: unknown) => {
    throw new OidcRefusal("provider", error);
  });
  const present = await findSessionUser(db, visitor.sessionToken);
  const signIn = async (tx: Database) => {
    const linked = await findLinked(tx, identity);
    const userId = linked ?? (await findByEmail(tx, client, identity));
    const invitation = (await hasAddress(tx, userId, identity))
      ? await confirmAddress(tx, userId, present?.userId ?? null)
      : null;
    await link(tx, userId, identity);
    return { session: await createBrowserSession(tx, userId, "oidc", visitor), invitation };
  };
  return db.transaction(signIn).catch(async (error: unknown) => {
    if (error instanceof OidcRefusal && error.userId !== undefined)
      await recordFailedSignIn(db, error.userId, { method: "oidc", network: visitor.network });
    throw error;
  });
}

async function findLinked(
  tx: Database,
  { issuer, subject }: Pick<CompanyIdentity, "issuer" | "subject">,
): Promise<string | undefined> {
  const [linked] = await tx
    .select({ userId: companyAccounts.userId })
    .from(companyAccounts)
    .where(and(eq(companyAccounts.issuer, issuer), eq(companyAccounts.subject, subject)));
  return linked?.userId;
}

async function findByEmail(tx: Database, client: OidcClient, identity: CompanyIdentity): Promise<string> {
  const email = toVerifiedEmail(identity);
  if (email === undefined) throw new OidcRefusal("unverified");
  const [user] = await tx.select({ userId: users.id }).from(users).where(eq(users.email, email));
  return user?.userId ?? createMember(tx, client, { email, name: identity.name });
}

/** Returns true if the provider verified the user's address. */
async function hasAddress(tx: Database, userId: string, identity: CompanyIdentity): Promise<boolean> {
  const email = toVerifiedEmail(identity);
  const [user] = await tx.select({ email: users.email }).from(users).where(eq(users.id, userId));
  return email !== undefined && user?.email === email;
}

const toVerifiedEmail = (identity: CompanyIdentity): string | undefined =>
  Email.safeParse(identity.email).data;

/**
 * Links a user to their provider account. No-op if already linked. @throws OidcRefusal if they are linked to another
 * one
 */
async function link(tx: Database, userId: string, { issuer, subject }: CompanyIdentity): Promise<void> {
  const [linked] = await tx
    .insert(companyAccounts)
    .values({ id: generateId("acc"), userId, issuer, subject })
    .onConflictDoNothing()
    .returning({ id: companyAccounts.id });
  if (linked) await audit(tx, { kind: "user", userId }, "user.link", linked.id);
  else if ((await findLinked(tx, { issuer, subject })) !== userId)
    throw new OidcRefusal("other-account", undefined, userId);
}

/** Creates an account, if the installation permits it. @throws OidcRefusal */
async function createMember(
  tx: Database,
  { settings: { workspaceId } }: OidcClient,
  { email, name }: { email: string; name: string | null },
): Promise<string> {
  if (workspaceId === null) throw new OidcRefusal("no-account");
  const fallback = email.slice(0, email.indexOf("@"));
  const { userId } = await registerUser(tx, {
    email,
    name: Name.safeParse(name?.slice(0, LIMITS.nameMax)).data ?? fallback.slice(0, LIMITS.nameMax),
  });
  await enterWorkspace(tx, { kind: "user", userId }, userId, workspaceId, "member");
  return userId;
}
