import { NoInput, SettingsInput } from "@minutes/contract";
import {
  createPersonalWebhook,
  createWorkspaceWebhook,
  deleteWebhook,
  disableWebhook,
  enableWebhook,
  getDelivery,
  getWebhook,
  listDeliveries,
  listVisibleWebhooks,
  redeliver,
  redeliverFailed,
  regenerateSecret,
  sendTest,
  updateWebhook,
} from "../webhooks/index.js";
import { SUCCESS, settingsProcedure, toActor } from "./procedures.js";

const create = { personal: createPersonalWebhook, workspace: createWorkspaceWebhook };

/** Webhooks, by their creator or by the workspace's admins. The secret is in the answers of `create` and `regenerate` alone. */
export const webhooks = {
  list: settingsProcedure.input(NoInput).query(({ ctx }) => listVisibleWebhooks(ctx.db, ctx.user)),
  show: settingsProcedure
    .input(SettingsInput.webhook)
    .query(({ ctx, input }) => getWebhook(ctx.db, toActor(ctx), input.webhookId)),
  create: settingsProcedure
    .input(SettingsInput.newWebhook)
    .mutation(({ ctx, input: { kind, ...webhook } }) =>
      create[kind](ctx.db, ctx.webhooks, ctx.user.userId, webhook),
    ),
  edit: settingsProcedure
    .input(SettingsInput.webhookChange)
    .mutation(({ ctx, input: { webhookId, ...change } }) =>
      updateWebhook(ctx.db, ctx.webhooks, toActor(ctx), webhookId, change),
    ),
  regenerate: settingsProcedure
    .input(SettingsInput.webhook)
    .mutation(({ ctx, input }) => regenerateSecret(ctx.db, ctx.webhooks, toActor(ctx), input.webhookId)),
  disable: settingsProcedure.input(SettingsInput.webhook).mutation(async ({ ctx, input }) => {
    await disableWebhook(ctx.db, toActor(ctx), input.webhookId);
    return SUCCESS;
  }),
  enable: settingsProcedure.input(SettingsInput.webhook).mutation(async ({ ctx, input }) => {
    await enableWebhook(ctx.db, toActor(ctx), input.webhookId);
    return SUCCESS;
  }),
  delete: settingsProcedure.input(SettingsInput.webhook).mutation(async ({ ctx, input }) => {
    await deleteWebhook(ctx.db, toActor(ctx), input.webhookId);
    return SUCCESS;
  }),
  test: settingsProcedure
    .input(SettingsInput.webhook)
    .mutation(({ ctx, input }) => sendTest(ctx.db, toActor(ctx), input.webhookId)),
  deliveries: settingsProcedure
    .input(SettingsInput.deliveries)
    .query(({ ctx, input }) => listDeliveries(ctx.db, toActor(ctx), input)),
  delivery: settingsProcedure
    .input(SettingsInput.delivery)
    .query(({ ctx, input }) => getDelivery(ctx.db, toActor(ctx), input.deliveryId)),
  redeliver: settingsProcedure.input(SettingsInput.delivery).mutation(async ({ ctx, input }) => {
    await redeliver(ctx.db, toActor(ctx), input.deliveryId);
    return SUCCESS;
  }),
  redeliverFailed: settingsProcedure
    .input(SettingsInput.failedDeliveries)
    .mutation(({ ctx, input: { webhookId, ...range } }) =>
      redeliverFailed(ctx.db, toActor(ctx), webhookId, range),
    ),
};
