export { toAddressKey } from "./address.js";
export { BatchQueue } from "./batch-queue.js";
export * from "./credential-guard.js";
export { startRateWindowPurge } from "./purge.js";
export * from "./quota.js";
export * from "./request-statistics.js";
export { VisitorGuard } from "./visitor.js";
