export { createOAuthAdapter } from "./adapter.js";
export { authenticateApp, requireValidAppToken } from "./authenticate.js";
export { type ClientDocuments, createClientDocuments } from "./client-documents.js";
export { connectApp, disconnectApp, listApps } from "./grants.js";
export { OAUTH_SECONDS } from "./lifetimes.js";
export { OAUTH_SCOPES, type OAuthScope, parseScopes } from "./scopes.js";
