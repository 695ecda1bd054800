import type { HashCaller } from "./hash-queue.js";

/** An unauthenticated caller who wants to sign in. */
export interface Visitor extends HashCaller {
  /** For the audit log, from `toNetwork`; null if unknown. */
  readonly network: string | null;
  /** Name by which the user later recognizes the session, such as the browser. */
  readonly label: string | null;
  /** The known-browser cookie; undefined if there is none. */
  readonly browserToken: string | undefined;
}

/** The sign-in methods of the installation. */
export interface SignInMethods {
  readonly password: boolean;
  /** A one-time link by e-mail, which requires a mail server. */
  readonly magicLink: boolean;
  readonly passkey: boolean;
  readonly oidc: boolean;
}
