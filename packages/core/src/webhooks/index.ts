export * from "./backoff.js";
export * from "./context.js";
export { enqueueDeliveries, sendTest } from "./enqueue.js";
export { createGuard, type Guard, parseNetwork } from "./guard.js";
export * from "./log.js";
export { smtpMailer } from "./mailer.js";
export {
  createPersonalWebhook,
  createWorkspaceWebhook,
  deleteWebhook,
  disableWebhook,
  enableWebhook,
  getWebhook,
  listWebhooks,
  listWebhooksOf,
  regenerateSecret,
  updateWebhook,
} from "./manage.js";
export * from "./redeliver.js";
export * from "./secrets.js";
export { createSender } from "./send.js";
export { type DeliveryWorker, startWorker } from "./worker.js";
