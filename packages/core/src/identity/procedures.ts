import type { Database } from "@minutes/db";
import { type CreatedSession, endSessionByToken } from "../sessions/index.js";
import { createProcedureBuilders } from "../trpc/index.js";
import type { IdentityMail } from "./mail.js";
import type { PasskeySite } from "./passkeys.js";
import type { Visitor } from "./sign-in.js";

/** The ways to sign in that the installation offers. */
export interface SignInMethods {
  readonly password: boolean;
  /** A one-time link by e-mail, which needs a mail server. */
  readonly magicLink: boolean;
  readonly passkey: boolean;
  readonly oidc: boolean;
}

/** What every procedure under `/identity/v1` receives. Nobody has to be signed in. */
export interface IdentityContext {
  readonly db: Database;
  readonly ways: SignInMethods;
  readonly visitor: Visitor;
  /** The browser's session cookie; undefined when it has none. */
  readonly sessionToken: string | undefined;
  /** Null without a mail server. */
  readonly mail: IdentityMail | null;
  /** Null where passkeys are turned off or can't work. */
  readonly passkeySite: PasskeySite | null;
  /** Sets the browser's session cookie; null removes it. */
  readonly setCookie: (session: CreatedSession | null) => void;
}

/** Builds the procedures that sign people in. */
export const { procedure: identityProcedure, router: createIdentityRouter } =
  createProcedureBuilders<IdentityContext>();

/** Gives the browser a new session, and ends the one that it had. */
export async function replaceBrowserSession(
  { db, sessionToken, setCookie }: Pick<IdentityContext, "db" | "sessionToken" | "setCookie">,
  session: CreatedSession,
): Promise<{ success: true }> {
  if (sessionToken !== undefined) await endSessionByToken(db, sessionToken);
  setCookie(session);
  return { success: true };
}
