export { toAddressKey } from "./address.js";
export * from "./credential-guard.js";
export * from "./quota.js";
export * from "./request-counts.js";
export * from "./visitor.js";
