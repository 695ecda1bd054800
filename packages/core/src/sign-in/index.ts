export * from "./account.js";
export {
  cancelLinkPassword,
  forgiveLinkPassword,
  isAttemptWith,
  throttleLinkPassword,
} from "./attempts.js";
export { replaceBrowserSession } from "./browser.js";
export * from "./company-accounts.js";
export type { HashCaller } from "./hash-queue.js";
export * from "./invitations.js";
export { createSetupToken, createSignInToken } from "./links.js";
export { toSignInUrl } from "./mail.js";
export { beginOidc, completeOidc, OidcRefusal } from "./oidc.js";
export { createFlowSecret, createOidcClient, type OidcClient, type OidcSettings } from "./oidc-client.js";
export { checkPassword, hashPassword, setPasswordCost } from "./password-hash.js";
export { findFirstStep } from "./setup.js";
