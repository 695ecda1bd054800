export { toAddressKey } from "./address.js";
export { ConcurrencyLimits } from "./concurrency-limit.js";
export * from "./credential-guard.js";
export { countTowardsDay } from "./daily.js";
export { purgeRateWindows } from "./purge.js";
export * from "./quota.js";
export * from "./request-statistics.js";
export { VisitorGuard } from "./visitor.js";
