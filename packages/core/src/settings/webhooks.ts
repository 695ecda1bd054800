import { NoInput, SettingsInput } from "@minutes/contract";
import { signedIn } from "../trpc/index.js";
import {
  createPersonalWebhook,
  createWorkspaceWebhook,
  deleteWebhook,
  disableWebhook,
  enableWebhook,
  getDelivery,
  getWebhook,
  listDeliveries,
  listWebhooksOf,
  redeliver,
  redeliverFailed,
  regenerateSecret,
  sendTest,
  updateWebhook,
} from "../webhooks/index.js";
import { actor, done } from "./actor.js";

const create = { personal: createPersonalWebhook, workspace: createWorkspaceWebhook };

/** Webhooks, by their creator or by the workspace's admins. The secret is in the answers of `create` and `regenerate` alone. */
export const webhooks = {
  list: signedIn.input(NoInput).query(({ ctx }) => listWebhooksOf(ctx.db, ctx.user)),
  show: signedIn
    .input(SettingsInput.webhook)
    .query(({ ctx, input }) => getWebhook(ctx.db, actor(ctx), input.webhookId)),
  create: signedIn
    .input(SettingsInput.newWebhook)
    .mutation(({ ctx, input: { kind, ...webhook } }) =>
      create[kind](ctx.db, ctx.webhooks, ctx.user.userId, webhook),
    ),
  edit: signedIn
    .input(SettingsInput.webhookChange)
    .mutation(({ ctx, input: { webhookId, ...change } }) =>
      updateWebhook(ctx.db, ctx.webhooks, actor(ctx), webhookId, change),
    ),
  regenerate: signedIn
    .input(SettingsInput.webhook)
    .mutation(({ ctx, input }) => regenerateSecret(ctx.db, ctx.webhooks, actor(ctx), input.webhookId)),
  disable: signedIn.input(SettingsInput.webhook).mutation(async ({ ctx, input }) => {
    await disableWebhook(ctx.db, actor(ctx), input.webhookId);
    return done;
  }),
  enable: signedIn.input(SettingsInput.webhook).mutation(async ({ ctx, input }) => {
    await enableWebhook(ctx.db, actor(ctx), input.webhookId);
    return done;
  }),
  delete: signedIn.input(SettingsInput.webhook).mutation(async ({ ctx, input }) => {
    await deleteWebhook(ctx.db, actor(ctx), input.webhookId);
    return done;
  }),
  test: signedIn
    .input(SettingsInput.webhook)
    .mutation(({ ctx, input }) => sendTest(ctx.db, actor(ctx), input.webhookId)),
  deliveries: signedIn
    .input(SettingsInput.deliveries)
    .query(({ ctx, input }) => listDeliveries(ctx.db, actor(ctx), input)),
  delivery: signedIn
    .input(SettingsInput.delivery)
    .query(({ ctx, input }) => getDelivery(ctx.db, actor(ctx), input.deliveryId)),
  redeliver: signedIn.input(SettingsInput.delivery).mutation(async ({ ctx, input }) => {
    await redeliver(ctx.db, actor(ctx), input.deliveryId);
    return done;
  }),
  redeliverFailed: signedIn
    .input(SettingsInput.failedDeliveries)
    .mutation(({ ctx, input: { webhookId, ...range } }) =>
      redeliverFailed(ctx.db, actor(ctx), webhookId, range),
    ),
};
