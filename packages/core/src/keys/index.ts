export * from "./authenticate.js";
export * from "./ingest.js";
export * from "./manage.js";
export { notifyExpiringKeys } from "./notify-expiry.js";
export { notifyNewNetwork } from "./notify-network.js";
export * from "./token.js";
export { KeyUses } from "./uses.js";
export { KeyVerifier } from "./verify.js";
