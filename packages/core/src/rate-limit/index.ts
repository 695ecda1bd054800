export * from "./credential-guard.js";
export * from "./quota.js";
