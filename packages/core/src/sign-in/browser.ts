import { MESSAGES } from "@minutes/contract";
import type { Database } from "@minutes/db";
import type { VisitorCaller } from "../access/index.js";
import { ApiError } from "../lib/errors.js";
import type { Mailer } from "../lib/mailer.js";
import { getAccount } from "./account.js";
import { rememberBrowser } from "./known-browsers.js";
import { findSignInLinkUser } from "./links.js";
import type { IdentityMail } from "./mail.js";
import { toPasskeySite } from "./passkeys.js";
import type { CreatedSession } from "./sessions/create.js";
import { endSessionByToken, findSessionUser } from "./sessions/manage.js";
import { findFirstStep } from "./setup.js";

/** What the installation has for signing in. */
export interface SignInServices {
  /** The enabled sign-in methods. */
  readonly signIn: readonly string[];
  /** Null if people don't sign in with company accounts. */
  readonly oidc: object | null;
  /** Returns the installation's public origin. */
  readonly publicUrl: () => string;
  /** Null without a mail server. */
  readonly mailer: Mailer | null;
  /** Returns the e-mail address of the sample's user; null without the sample. */
  readonly sampleEmail: () => string | null;
  /** Runs `minutes` on this installation, for people who need another link. */
  readonly command: string;
}

/** Lists the sign-in methods of the installation. A link by e-mail requires a mail server. */
export const listWays = ({ signIn, mailer, oidc, publicUrl }: SignInServices) => ({
  password: signIn.includes("password"),
  magicLink: mailer !== null && signIn.includes("link"),
  passkey: signIn.includes("passkey") && toPasskeySite(publicUrl()) !== null,
  oidc: oidc !== null,
});

/** Requires a sign-in method. @throws ApiError 404 if it is turned off */
export function requireWay(services: SignInServices, way: "password" | "magicLink"): void {
  if (!listWays(services)[way]) throw new ApiError("NOT_FOUND", MESSAGES.unknownProcedure);
}

/** Returns how to send mail for a visitor; null without a mail server. */
export const toMail = (
  { mailer, publicUrl }: SignInServices,
  { onFault }: VisitorCaller,
): IdentityMail | null => mailer && { mailer, publicUrl: publicUrl(), onFault };

/** Returns what the sign-in page shows. */
export async function getSignIn(db: Database, { sessionToken }: VisitorCaller, services: SignInServices) {
  const ways = listWays(services);
  return {
    signedIn: (await findSessionUser(db, sessionToken)) !== null,
    firstStep: await findFirstStep(db, ways),
    ways,
    sampleEmail: services.sampleEmail(),
    command: services.command,
  };
}

/** Returns a link's user, and the user signed in here, who would be signed out. @throws ApiError 401 */
export async function getSignInLink(db: Database, { sessionToken }: VisitorCaller, token: string) {
  const { userId, email } = await findSignInLinkUser(db, token);
  const present = await findSessionUser(db, sessionToken);
  const replaces = present && present.userId !== userId ? (await getAccount(db, present.userId)).email : null;
  return { email, replaces };
}

/** Gives the browser a new session, ends its previous one, and remembers that the user signed in here. */
export async function replaceBrowserSession(
  db: Database,
  { sessionToken, browserToken, setSession, setBrowser }: VisitorCaller,
  session: CreatedSession,
): Promise<void> {
  if (sessionToken !== undefined) await endSessionByToken(db, sessionToken);
  const known = await rememberBrowser(db, session.userId, browserToken);
  setSession(session);
  setBrowser(known);
}

/** Ends the browser's session. */
export async function signOut(db: Database, { sessionToken, setSession }: VisitorCaller): Promise<void> {
  if (sessionToken !== undefined) await endSessionByToken(db, sessionToken);
  setSession(null);
}
