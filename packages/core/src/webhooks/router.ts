import * as contract from "@minutes/contract";
import { implement } from "../api/index.js";
import {
  deleteWebhook,
  disableWebhook,
  enableWebhook,
  regenerateSecret,
  updateWebhook,
} from "./management/change.js";
import { createWebhook } from "./management/create.js";
import { getDelivery, getDeliveryRequest, listDeliveries } from "./management/delivery-log.js";
import { getWebhook, listWebhooks } from "./management/list.js";
import { redeliver, redeliverFailed } from "./management/redeliver.js";
import { resumeWebhook } from "./management/resume.js";
import { sendTest } from "./management/send-test.js";
import type { WebhookServices } from "./services.js";

declare module "../api/index.js" {
  interface Services {
    readonly webhooks: WebhookServices;
  }
}

/** Webhooks and their delivery logs. Only `create`, `regenerate` and some updates return a secret. */
export const webhooks = {
  list: implement(contract.listWebhooks, ({ db, caller }) => listWebhooks(db, caller)),
  get: implement(contract.getWebhook, ({ db, caller, input }) => getWebhook(db, caller, input.webhookId)),
  create: implement(contract.createWebhook, ({ db, caller, services, input }) =>
    createWebhook(db, services.webhooks, caller, input),
  ),
  update: implement(contract.updateWebhook, ({ db, caller, services, input: { webhookId, ...change } }) =>
    updateWebhook(db, services.webhooks, caller, webhookId, change),
  ),
  regenerate: implement(contract.regenerateWebhookSecret, ({ db, caller, services, input }) =>
    regenerateSecret(db, services.webhooks, caller, input.webhookId),
  ),
  disable: implement(contract.disableWebhook, ({ db, caller, input }) =>
    disableWebhook(db, caller, input.webhookId),
  ),
  enable: implement(contract.enableWebhook, ({ db, caller, input }) =>
    enableWebhook(db, caller, input.webhookId),
  ),
  resume: implement(contract.resumeWebhook, ({ db, caller, input: { webhookId, ...options } }) =>
    resumeWebhook(db, caller, webhookId, options),
  ),
  delete: implement(contract.deleteWebhook, ({ db, caller, input }) =>
    deleteWebhook(db, caller, input.webhookId),
  ),
  test: implement(contract.testWebhook, ({ db, caller, input }) => sendTest(db, caller, input.webhookId)),
  deliveries: implement(contract.listDeliveries, ({ db, caller, input }) =>
    listDeliveries(db, caller, input),
  ),
  delivery: implement(contract.getDelivery, ({ db, caller, input }) =>
    getDelivery(db, caller, input.deliveryId),
  ),
  request: implement(contract.getDeliveryRequest, ({ db, caller, services, input }) =>
    getDeliveryRequest(db, caller, input.deliveryId, services.publicUrl()),
  ),
  redeliver: implement(contract.redeliver, ({ db, caller, input }) =>
    redeliver(db, caller, input.deliveryId),
  ),
  redeliverFailed: implement(contract.redeliverFailed, ({ db, caller, input: { webhookId, ...range } }) =>
    redeliverFailed(db, caller, webhookId, range),
  ),
};
