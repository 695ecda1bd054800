import { z } from "zod";
import { InstantOut } from "./instants.js";
import { KEY_ACCESS } from "./keys.js";
import { DELIVERY_STATES, WEBHOOK_METHODS } from "./webhooks.js";

const nullableInstant = InstantOut.nullable();
const createdBy = z
  .object({ userId: z.string().describe("The user's id."), email: z.string().describe("E-mail address.") })
  .nullable()
  .describe("Null once that user is deleted, and where the operator created it.");

const storedKey = {
  id: z.string().describe("The key's `keyId`."),
  name: z.string().describe("Display name."),
  prefix: z.string().describe("The kind of credential, such as `jk_`."),
  lastFour: z.string().describe("The last four characters of the key."),
  createdAt: InstantOut.describe("When it was created."),
  lastUsedAt: nullableInstant.describe("When it was last used, to the minute or so; null if never."),
  disabledAt: nullableInstant.describe("When it was disabled; null if it is enabled."),
  revokedAt: nullableInstant.describe("When it was revoked; null if it was not."),
  createdBy,
};

const ApiKey = z
  .object({
    ...storedKey,
    kind: z.enum(["personal", "workspace"]).describe("Whose meetings it reads."),
    access: z.enum(KEY_ACCESS).describe("`read`: it can't change or delete anything."),
    expiresAt: nullableInstant.describe("When it expires; null: never."),
  })
  .meta({ id: "ApiKey", description: "An API key without its value." });
const IngestKey = z
  .object(storedKey)
  .meta({ id: "IngestKey", description: "An ingest key without its value." });

export const PersonalKeyList = z.object({ personal: z.array(ApiKey).describe("Keys, oldest first.") });
export const WorkspaceKeyList = z.object({
  workspace: z.array(ApiKey).describe("The workspace's API keys, oldest first."),
  ingest: z.array(IngestKey).describe("The workspace's ingest keys, oldest first."),
});
const message = z
  .string()
  .optional()
  .describe("Why the secret is empty: it was shown in an earlier answer to this `Idempotency-Key`.");
export const NewKeyValue = z.object({
  id: z.string().describe("The key's `keyId`."),
  key: z.string().describe("The key. It is shown only this time; empty in a repeated answer."),
  message,
});

/** The answer of a call without a result. */
export const Success = z.object({ success: z.literal(true).describe("Always true.") });

const webhook = {
  id: z.string().describe("The webhook's `webhookId`."),
  kind: z.enum(["personal", "workspace"]).describe("Whose meetings it reports."),
  name: z.string().describe("Display name."),
  url: z.string().describe("Where deliveries go. Members who are not admins see only its origin."),
  method: z.enum(WEBHOOK_METHODS).describe("How the receiver verifies a delivery."),
  headerName: z.string().nullable().describe("Header with the signature or the secret; null: the default."),
  headerPrefix: z.string().nullable().describe("Prefix of the other header names; null: the default."),
  events: z.array(z.string()).describe("Events it subscribes to."),
  createdAt: InstantOut.describe("When it was created."),
  disabledAt: nullableInstant.describe("When it was disabled; null if it is enabled."),
  pausedAt: nullableInstant.describe("When it was paused because of failures; null if it is not."),
  missed: z.int().describe("Number of missed deliveries that resuming can send; 0 unless paused."),
  createdBy,
};
export const WebhookDetail = z
  .object(webhook)
  .meta({ id: "Webhook", description: "A webhook without its secret." });
const WebhookWithHealth = z
  .object({
    ...webhook,
    health: z
      .object({
        delivered: z.int().describe("Delivered."),
        failed: z.int().describe("Failed."),
        pending: z.int().describe("Not finished."),
      })
      .describe("Number of deliveries in the last 24 hours."),
  })
  .meta({ id: "WebhookWithHealth", description: "A webhook and its recent deliveries." });
export const WebhookList = z.object({
  personal: z.array(WebhookWithHealth).describe("The caller's webhooks, oldest first."),
  workspace: z.array(WebhookWithHealth).describe("The workspace's webhooks, oldest first."),
});
const secret = z.string().describe("The secret. It is shown only this time; empty in a repeated answer.");
export const NewWebhookSecret = z.object({
  id: z.string().describe("The webhook's `webhookId`."),
  secret,
  message,
});
export const ChangedWebhook = z
  .object({ ...webhook, secret: secret.optional().describe("A new secret, where the change required one.") })
  .meta({ id: "ChangedWebhook", description: "The webhook after the change." });
export const Resumed = z.object({ replayed: z.int().describe("Number of deliveries to send again.") });
export const TestDelivery = z.object({ deliveryId: z.string().describe("The delivery's id.") });
export const Redelivered = z.object({ redelivered: z.int().describe("Number of redelivered deliveries.") });

const delivery = {
  id: z.string().describe("The delivery's `deliveryId`."),
  webhookId: z.string().describe("The webhook."),
  meetingId: z.string().nullable().describe("The meeting; null for a test."),
  event: z.string().describe("What happened, such as `meeting.completed`."),
  state: z.enum(DELIVERY_STATES).describe("State of the delivery."),
  attempts: z.int().describe("Number of attempts."),
  createdAt: InstantOut.describe("When it was created."),
  finishedAt: nullableInstant.describe("When it ended; null if it has not."),
  nextAttemptAt: nullableInstant.describe("When the next attempt is due; null if there is none."),
};
export const DeliveryPage = z.object({
  deliveries: z
    .array(z.object(delivery).meta({ id: "Delivery", description: "One delivery." }))
    .describe("Newest first."),
  nextCursor: z.string().nullable().describe("Pass it as `cursor` for the next page; null on the last one."),
});
export const DeliveryDetail = z
  .object({
    ...delivery,
    attempts: z
      .array(
        z.object({
          number: z.int().describe("1 for the first."),
          startedAt: InstantOut.describe("When it started."),
          milliseconds: z.int().describe("How long it took."),
          status: z.int().nullable().describe("The receiver's status; null if it did not answer."),
          error: z.string().nullable().describe("Why it failed; null if it did not."),
        }),
      )
      .describe("All attempts, in order."),
  })
  .meta({ id: "DeliveryDetail", description: "One delivery with its attempts." });
export const DeliveryRequest = z.object({
  headers: z
    .record(z.string(), z.string().nullable())
    .describe("By name. Null: the signature or the secret, which is never shown."),
  body: z.string().nullable().describe("Null if the meeting is deleted, or the caller can't read it."),
});
