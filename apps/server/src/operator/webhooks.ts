import { Email, SettingsInput } from "@minutes/contract";
import {
  createPersonalWebhook,
  createWorkspaceWebhook,
  deleteWebhook,
  disableWebhook,
  enableWebhook,
  getDelivery,
  getWebhook,
  listDeliveries,
  listWebhooks,
  redeliver,
  redeliverFailed,
  regenerateSecret,
  sendTest,
  updateWebhook,
} from "@minutes/core";
import { operatorProcedure, succeed, UserRef, userProcedure } from "./procedures.js";

const create = { personal: createPersonalWebhook, workspace: createWorkspaceWebhook };

/** Webhooks and their delivery log. */
export const webhooks = {
  create: userProcedure
    .input(SettingsInput.newWebhook.safeExtend({ email: Email }))
    .mutation(async ({ ctx, input: { kind, email: _, ...webhook } }) => {
      const { id, secret } = await create[kind](ctx.db, ctx.webhooks, ctx.user.userId, webhook);
      return { ...(await getWebhook(ctx.db, ctx.actor, id)), secret };
    }),
  /** A user's personal webhooks, then the webhooks of their workspace. */
  list: userProcedure
    .input(UserRef)
    .query(async ({ ctx: { db, user } }) => [
      ...(await listWebhooks(db, { userId: user.userId })),
      ...(await listWebhooks(db, { workspaceId: user.workspaceId })),
    ]),
  show: operatorProcedure
    .input(SettingsInput.webhook)
    .query(({ ctx, input }) => getWebhook(ctx.db, ctx.actor, input.webhookId)),
  edit: operatorProcedure
    .input(SettingsInput.webhookChange)
    .mutation(({ ctx, input: { webhookId, ...change } }) =>
      updateWebhook(ctx.db, ctx.webhooks, ctx.actor, webhookId, change),
    ),
  regenerate: operatorProcedure
    .input(SettingsInput.webhook)
    .mutation(({ ctx, input }) => regenerateSecret(ctx.db, ctx.webhooks, ctx.actor, input.webhookId)),
  disable: operatorProcedure
    .input(SettingsInput.webhook)
    .mutation(({ ctx, input }) => succeed(disableWebhook(ctx.db, ctx.actor, input.webhookId))),
  enable: operatorProcedure
    .input(SettingsInput.webhook)
    .mutation(({ ctx, input }) => succeed(enableWebhook(ctx.db, ctx.actor, input.webhookId))),
  delete: operatorProcedure
    .input(SettingsInput.webhook)
    .mutation(({ ctx, input }) => succeed(deleteWebhook(ctx.db, ctx.actor, input.webhookId))),
  test: operatorProcedure
    .input(SettingsInput.webhook)
    .mutation(({ ctx, input }) => sendTest(ctx.db, ctx.actor, input.webhookId)),
  deliveries: operatorProcedure
    .input(SettingsInput.deliveries)
    .query(({ ctx, input }) => listDeliveries(ctx.db, ctx.actor, input)),
  delivery: operatorProcedure
    .input(SettingsInput.delivery)
    .query(({ ctx, input }) => getDelivery(ctx.db, ctx.actor, input.deliveryId)),
  redeliver: operatorProcedure
    .input(SettingsInput.delivery)
    .mutation(({ ctx, input }) => succeed(redeliver(ctx.db, ctx.actor, input.deliveryId))),
  redeliverFailed: operatorProcedure
    .input(SettingsInput.failedDeliveries)
    .mutation(({ ctx, input: { webhookId, ...range } }) =>
      redeliverFailed(ctx.db, ctx.actor, webhookId, range),
    ),
};
