import type { Database } from "@minutes/db";
import { createProcedureBuilders } from "../api/index.js";
import { rememberBrowser } from "./known-browsers.js";
import type { IdentityMail } from "./mail.js";
import type { PasskeySite } from "./passkeys.js";
import { type CreatedSession, endSessionByToken } from "./sessions/index.js";
import type { SignInMethods, Visitor } from "./visitor.js";

/** Context of every procedure under `/identity/v1`. Sign-in is not required. */
export interface IdentityContext {
  readonly db: Database;
  readonly ways: SignInMethods;
  readonly visitor: Visitor;
  /** The browser's session cookie; undefined if it has none. */
  readonly sessionToken: string | undefined;
  /** Null without a mail server. */
  readonly mail: IdentityMail | null;
  /** Null if passkeys are turned off or not possible. */
  readonly passkeySite: PasskeySite | null;
  /** The e-mail address of the sample's user; null without the sample. */
  readonly sampleEmail: string | null;
  /** Runs `minutes` on this installation, for people who need another link. */
  readonly command: string;
  readonly cookies: BrowserCookies;
  /** Called with faults of background work. */
  readonly onFault: (error: unknown) => void;
}

/** Sets cookies of the calling browser. */
export interface BrowserCookies {
  /** Sets the session cookie; null removes it. */
  readonly setSession: (session: CreatedSession | null) => void;
  /** Sets the cookie that makes the browser known. It outlasts the session. */
  readonly setBrowser: (token: string) => void;
}

/** Builds the sign-in procedures. */
export const { procedure: identityProcedure, router: createIdentityRouter } =
  createProcedureBuilders<IdentityContext>();

/** Gives the browser a new session, ends its previous one, and remembers that the user signed in here. */
export async function replaceBrowserSession(
  {
    db,
    sessionToken,
    visitor,
    cookies,
  }: Pick<IdentityContext, "db" | "sessionToken" | "visitor" | "cookies">,
  session: CreatedSession,
): Promise<{ success: true }> {
  if (sessionToken !== undefined) await endSessionByToken(db, sessionToken);
  const browserToken = await rememberBrowser(db, session.userId, visitor.browserToken);
  cookies.setSession(session);
  cookies.setBrowser(browserToken);
  return { success: true };
}
