export { ConcurrencyLimit, ConcurrencyLimits } from "./concurrency-limit.js";
export * from "./credential-guard.js";
export { countTowardsDay, purgeRateWindows } from "./daily.js";
export * from "./quota.js";
export * from "./request-statistics.js";
export { TokenBuckets } from "./token-buckets.js";
export { takeTurn, watchClient } from "./turns.js";
export { VisitorGuard } from "./visitor.js";
