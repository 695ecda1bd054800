import {
  DeliveryId,
  Email,
  Id,
  InstantInput,
  ListDeliveries,
  NewWebhook,
  WebhookChange,
} from "@minutes/contract";
import {
  createPersonalWebhook,
  createWorkspaceWebhook,
  deleteWebhook,
  disableWebhook,
  enableWebhook,
  findUser,
  getDelivery,
  getWebhook,
  listDeliveries,
  listWebhooks,
  OPERATOR,
  redeliver,
  redeliverFailed,
  regenerateSecret,
  sendTest,
  updateWebhook,
} from "@minutes/core";
import { z } from "zod";
import { operation } from "./operation.js";

const WebhookRef = z.strictObject({ webhookId: Id });
const DeliveryRef = z.strictObject({ deliveryId: DeliveryId });

export const webhookOperations = {
  "webhooks.create": operation(
    z.strictObject({ email: Email, kind: z.enum(["personal", "workspace"]), webhook: NewWebhook }),
    async ({ db, webhooks }, { email, kind, webhook }) => {
      const { userId } = await findUser(db, email);
      const create = kind === "personal" ? createPersonalWebhook : createWorkspaceWebhook;
      const { id, secret } = await create(db, webhooks, userId, webhook);
      return { ...(await getWebhook(db, OPERATOR, id)), secret };
    },
  ),

  /** A user's own webhooks, and those of the workspace that he is in. */
  "webhooks.list": operation(z.strictObject({ email: Email }), async ({ db }, { email }) => {
    const { userId, workspaceId } = await findUser(db, email);
    return [...(await listWebhooks(db, { userId })), ...(await listWebhooks(db, { workspaceId }))];
  }),

  "webhooks.show": operation(WebhookRef, ({ db }, { webhookId }) => getWebhook(db, OPERATOR, webhookId)),

  "webhooks.edit": operation(
    z.strictObject({ webhookId: Id, change: WebhookChange }),
    ({ db, webhooks }, { webhookId, change }) => updateWebhook(db, webhooks, OPERATOR, webhookId, change),
  ),

  "webhooks.regenerate": operation(WebhookRef, ({ db, webhooks }, { webhookId }) =>
    regenerateSecret(db, webhooks, OPERATOR, webhookId),
  ),

  "webhooks.enable": operation(WebhookRef, async ({ db }, { webhookId }) => {
    await enableWebhook(db, OPERATOR, webhookId);
    return { id: webhookId };
  }),

  "webhooks.disable": operation(WebhookRef, async ({ db }, { webhookId }) => {
    await disableWebhook(db, OPERATOR, webhookId);
    return { id: webhookId };
  }),

  "webhooks.delete": operation(WebhookRef, async ({ db }, { webhookId }) => {
    await deleteWebhook(db, OPERATOR, webhookId);
    return { id: webhookId };
  }),

  "webhooks.test": operation(WebhookRef, ({ db }, { webhookId }) => sendTest(db, OPERATOR, webhookId)),

  "webhooks.deliveries": operation(ListDeliveries, ({ db }, input) => listDeliveries(db, OPERATOR, input)),

  "webhooks.delivery": operation(DeliveryRef, ({ db }, { deliveryId }) =>
    getDelivery(db, OPERATOR, deliveryId),
  ),

  "webhooks.redeliver": operation(DeliveryRef, async ({ db }, { deliveryId }) => {
    await redeliver(db, OPERATOR, deliveryId);
    return { redelivered: 1 };
  }),

  "webhooks.redeliverFailed": operation(
    z.strictObject({ webhookId: Id, from: InstantInput, to: InstantInput }),
    ({ db }, { webhookId, ...range }) => redeliverFailed(db, OPERATOR, webhookId, range),
  ),
};
