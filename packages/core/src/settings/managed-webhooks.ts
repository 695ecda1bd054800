import { SettingsInput } from "@minutes/contract";
import {
  deleteWebhook,
  disableWebhook,
  enableWebhook,
  getDelivery,
  getWebhook,
  listDeliveries,
  redeliver,
  redeliverFailed,
  regenerateSecret,
  resumeWebhook,
  sendTest,
  updateWebhook,
} from "../webhooks/index.js";
import { managementProcedure, toSuccess } from "./procedures.js";

/** What can be done to a webhook that exists, and its delivery log. Only `regenerate` answers with a secret. */
export const managedWebhooks = {
  show: managementProcedure
    .input(SettingsInput.webhook)
    .query(({ ctx, input }) => getWebhook(ctx.db, ctx.actor, input.webhookId)),
  edit: managementProcedure
    .input(SettingsInput.webhookChange)
    .mutation(({ ctx, input: { webhookId, ...change } }) =>
      updateWebhook(ctx.db, ctx.webhooks, ctx.actor, webhookId, change),
    ),
  regenerate: managementProcedure
    .input(SettingsInput.webhook)
    .mutation(({ ctx, input }) => regenerateSecret(ctx.db, ctx.webhooks, ctx.actor, input.webhookId)),
  disable: managementProcedure
    .input(SettingsInput.webhook)
    .mutation(({ ctx, input }) => toSuccess(disableWebhook(ctx.db, ctx.actor, input.webhookId))),
  enable: managementProcedure
    .input(SettingsInput.webhook)
    .mutation(({ ctx, input }) => toSuccess(enableWebhook(ctx.db, ctx.actor, input.webhookId))),
  resume: managementProcedure
    .input(SettingsInput.webhookResume)
    .mutation(({ ctx, input: { webhookId, ...options } }) =>
      resumeWebhook(ctx.db, ctx.actor, webhookId, options),
    ),
  delete: managementProcedure
    .input(SettingsInput.webhook)
    .mutation(({ ctx, input }) => toSuccess(deleteWebhook(ctx.db, ctx.actor, input.webhookId))),
  test: managementProcedure
    .input(SettingsInput.webhook)
    .mutation(({ ctx, input }) => sendTest(ctx.db, ctx.actor, input.webhookId)),
  deliveries: managementProcedure
    .input(SettingsInput.deliveries)
    .query(({ ctx, input }) => listDeliveries(ctx.db, ctx.actor, input)),
  delivery: managementProcedure
    .input(SettingsInput.delivery)
    .query(({ ctx, input }) => getDelivery(ctx.db, ctx.actor, input.deliveryId)),
  redeliver: managementProcedure
    .input(SettingsInput.delivery)
    .mutation(({ ctx, input }) => toSuccess(redeliver(ctx.db, ctx.actor, input.deliveryId))),
  redeliverFailed: managementProcedure
    .input(SettingsInput.failedDeliveries)
    .mutation(({ ctx, input: { webhookId, ...range } }) =>
      redeliverFailed(ctx.db, ctx.actor, webhookId, range),
    ),
};
