import {
  ChangedWebhook,
  DeliveryDetail,
  DeliveryPage,
  DeliveryRef,
  DeliveryRequest,
  EditWebhook,
  ListDeliveries,
  NewWebhookOfKind,
  NewWebhookSecret,
  NoInput,
  Redelivered,
  RedeliverFailed,
  Resumed,
  ResumeWebhook,
  Success,
  TestDelivery,
  WebhookDetail,
  WebhookList,
  WebhookRef,
} from "@minutes/contract";
import {
  createPersonalWebhook,
  createWorkspaceWebhook,
  deleteWebhook,
  disableWebhook,
  enableWebhook,
  getDelivery,
  getDeliveryRequest,
  getWebhook,
  listDeliveries,
  listVisibleWebhooks,
  redeliver,
  redeliverFailed,
  regenerateSecret,
  resumeWebhook,
  sendTest,
  updateWebhook,
} from "../webhooks/index.js";
import { managementProcedure, settingsProcedure, toSuccess } from "./procedures.js";

/** Procedures for existing webhooks and their delivery logs. Only `regenerate` returns a secret. */
export const webhookManagementProcedures = {
  show: managementProcedure
    .input(WebhookRef)
    .output(WebhookDetail)
    .query(({ ctx, input }) => getWebhook(ctx.db, ctx.actor, input.webhookId)),
  edit: managementProcedure
    .input(EditWebhook)
    .output(ChangedWebhook)
    .mutation(({ ctx, input: { webhookId, ...change } }) =>
      updateWebhook(ctx.db, ctx.webhooks, ctx.actor, webhookId, change),
    ),
  regenerate: managementProcedure
    .input(WebhookRef)
    .output(NewWebhookSecret)
    .mutation(({ ctx, input }) => regenerateSecret(ctx.db, ctx.webhooks, ctx.actor, input.webhookId)),
  disable: managementProcedure
    .input(WebhookRef)
    .output(Success)
    .mutation(({ ctx, input }) => toSuccess(disableWebhook(ctx.db, ctx.actor, input.webhookId))),
  enable: managementProcedure
    .input(WebhookRef)
    .output(Success)
    .mutation(({ ctx, input }) => toSuccess(enableWebhook(ctx.db, ctx.actor, input.webhookId))),
  resume: managementProcedure
    .input(ResumeWebhook)
    .output(Resumed)
    .mutation(({ ctx, input: { webhookId, ...options } }) =>
      resumeWebhook(ctx.db, ctx.actor, webhookId, options),
    ),
  delete: managementProcedure
    .input(WebhookRef)
    .output(Success)
    .mutation(({ ctx, input }) => toSuccess(deleteWebhook(ctx.db, ctx.actor, input.webhookId))),
  test: managementProcedure
    .input(WebhookRef)
    .output(TestDelivery)
    .mutation(({ ctx, input }) => sendTest(ctx.db, ctx.actor, input.webhookId)),
  deliveries: managementProcedure
    .input(ListDeliveries)
    .output(DeliveryPage)
    .query(({ ctx, input }) => listDeliveries(ctx.db, ctx.actor, input)),
  delivery: managementProcedure
    .input(DeliveryRef)
    .output(DeliveryDetail)
    .query(({ ctx, input }) => getDelivery(ctx.db, ctx.actor, input.deliveryId)),
  redeliver: managementProcedure
    .input(DeliveryRef)
    .output(Success)
    .mutation(({ ctx, input }) => toSuccess(redeliver(ctx.db, ctx.actor, input.deliveryId))),
  redeliverFailed: managementProcedure
    .input(RedeliverFailed)
    .output(Redelivered)
    .mutation(({ ctx, input: { webhookId, ...range } }) =>
      redeliverFailed(ctx.db, ctx.actor, webhookId, range),
    ),
};

const createWebhook = { personal: createPersonalWebhook, workspace: createWorkspaceWebhook };

/** Webhooks, for their creators and for the admins of a workspace. Only `create` and `regenerate` return a secret. */
export const webhooks = {
  ...webhookManagementProcedures,
  request: settingsProcedure
    .input(DeliveryRef)
    .output(DeliveryRequest)
    .query(({ ctx, input }) => getDeliveryRequest(ctx.db, ctx.user.userId, input.deliveryId)),
  list: settingsProcedure
    .input(NoInput)
    .output(WebhookList)
    .query(({ ctx }) => listVisibleWebhooks(ctx.db, ctx.user)),
  create: settingsProcedure
    .input(NewWebhookOfKind)
    .output(NewWebhookSecret)
    .mutation(({ ctx, input: { kind, ...webhook } }) =>
      createWebhook[kind](ctx.db, ctx.webhooks, ctx.user.userId, webhook),
    ),
};
