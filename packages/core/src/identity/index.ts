export * from "./account.js";
export * from "./invitations.js";
export { createSetupToken, createSignInToken } from "./links.js";
export { mailInvitation, toSignInUrl } from "./mail.js";
export type { IdentityContext } from "./procedures.js";
export { needsSetup } from "./setup.js";
export type { Visitor } from "./sign-in.js";
