export * from "./delivery/backoff.js";
export { enqueueDeliveries } from "./delivery/enqueue.js";
export { createGuardedClient } from "./delivery/guarded-client.js";
export { type AttemptOutcome, createSender } from "./delivery/send.js";
export {
  createWebhookTargetPolicy,
  type WebhookTargetPolicy,
} from "./delivery/target-policy.js";
export type { DeliveryTracer } from "./delivery/tracer.js";
export { type DeliveryWorker, startDeliveryWorker } from "./delivery/worker.js";
export { rewritePayloads } from "./delivery/write-events.js";
export * from "./keyring.js";
export * from "./management/change.js";
export * from "./management/create.js";
export * from "./management/delivery-log.js";
export * from "./management/list.js";
export * from "./management/redeliver.js";
export { resumeWebhook } from "./management/resume.js";
export { sendTest } from "./management/send-test.js";
export { countUnreadableSecrets } from "./management/unreadable-secrets.js";
export * from "./services.js";
