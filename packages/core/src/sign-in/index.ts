export * from "./account.js";
export { isAttemptWith } from "./attempts.js";
export { replaceBrowserSession } from "./browser.js";
export * from "./company-accounts.js";
export * from "./invitations.js";
export { createSetupToken, createSignInToken } from "./links.js";
export { mailInvitation, toSignInUrl } from "./mail.js";
export { beginOidc, completeOidc, OidcRefusal } from "./oidc.js";
export { createOidcClient, type OidcClient } from "./oidc-client.js";
export {
  addPasskey,
  createPasskeyRegistrationOptions,
  listPasskeys,
  type PasskeySite,
  removePasskey,
} from "./passkeys.js";
export { setPasswordCost } from "./password-hash.js";
export { needsSetup } from "./setup.js";
