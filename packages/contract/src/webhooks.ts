import { z } from "zod";
import { createdBy, nullableInstant, secretMessage } from "./credentials.js";
import { InstantInput, InstantOut } from "./instants.js";
import { LIMITS } from "./limits.js";
import { Page } from "./meetings.js";
import { MESSAGES } from "./messages.js";
import { createRefusal, mutation, NoInput, query, Success } from "./operation.js";
import { boundedText, Id, Name, trimmedText } from "./text.js";

/**
 * How a receiver authenticates a delivery.
 * @see docs/specification.md#webhook-deliveries-how-the-receiver-checks-them
 */
export const WEBHOOK_METHODS = ["api-key", "signature"] as const;
export type WebhookMethod = (typeof WEBHOOK_METHODS)[number];

/**
 * Events a webhook can subscribe to. The first one is part of the specification and the default.
 * @see docs/specification.md#events
 * @see docs/decisions/0166-further-events.md
 */
export const WEBHOOK_EVENTS = [
  "meeting.completed",
  "meeting.updated",
  "meeting.deleted",
  "meeting.shared",
  "task.updated",
  "recording.failed",
] as const;
export type WebhookEventName = (typeof WEBHOOK_EVENTS)[number];

/**
 * How the body of a delivery is written: the event as JSON, or a message for the incoming webhook of a chat.
 * @see docs/webhooks.md#messages-in-a-chat
 */
export const WEBHOOK_FORMATS = ["json", "slack", "teams", "discord"] as const;
export type WebhookFormat = (typeof WEBHOOK_FORMATS)[number];

const Format = z.enum(WEBHOOK_FORMATS);
const FORMAT_TEXT = "How the body is written: json, or a message for the incoming webhook of a chat.";

const Events = z
  .array(z.enum(WEBHOOK_EVENTS))
  .min(1)
  .max(WEBHOOK_EVENTS.length)
  .refine((events) => new Set(events).size === events.length, "must name each event once");

/** Tags that limit a webhook. Empty: it is not limited. */
const Tags = z
  .array(trimmedText(1, LIMITS.tagNameMax))
  .max(LIMITS.webhookTagsMax)
  .refine((tags) => new Set(tags).size === tags.length, "must name each tag once");
const TAGS_TEXT =
  "Names of members' tags: only events of meetings with one of them are sent, and no recording.failed. Empty: all events.";

/** Default header of the method `api-key`. */
export const API_KEY_HEADER = "x-service-api-key";
/** Default header of the method `signature`. */
export const SIGNATURE_HEADER = "x-service-signature";

/** Default prefix of the other two headers: `service-event`, `service-delivery`. */
export const HEADER_PREFIX = "service-";

/** Headers set by HTTP or Minutes itself. They can't carry a secret. */
const TAKEN_HEADERS = new Set([
  "accept",
  "accept-encoding",
  "connection",
  "content-encoding",
  "content-length",
  "content-type",
  "cookie",
  "date",
  "expect",
  "forwarded",
  "host",
  "http2-settings",
  "keep-alive",
  "range",
  "referer",
  "service-delivery",
  "service-event",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "user-agent",
  "via",
]);

const isFreeHeader = (name: string): boolean =>
  /^[a-z0-9!#$%&'*+.^_`|~-]{1,64}$/.test(name) && !TAKEN_HEADERS.has(name) && !/^(proxy-|sec-|:)/.test(name);

/** The name of the header for a secret or signature, in lower case. */
export const HeaderName = z
  .string()
  .overwrite((name) => name.toLowerCase())
  .refine(isFreeHeader, "must be a header name that HTTP and Minutes don't use themselves");

/** Returns the names of the headers with a delivery's event and id. */
export const toHeaderNames = (prefix: string | null = HEADER_PREFIX) => ({
  event: `${prefix ?? HEADER_PREFIX}event`,
  delivery: `${prefix ?? HEADER_PREFIX}delivery`,
});

/** Prefix of the header names for event and id, in lower case. */
export const HeaderPrefix = z
  .string()
  .overwrite((prefix) => prefix.toLowerCase())
  .refine(
    (prefix) =>
      prefix === HEADER_PREFIX ||
      (/^.{1,48}$/.test(prefix) && Object.values(toHeaderNames(prefix)).every(isFreeHeader)),
    "must begin header names that HTTP doesn't use itself",
  );

/** The custom header names of a webhook. Null or absent means the default. */
export interface HeaderChoice {
  readonly method: WebhookMethod;
  readonly headerName?: string | null | undefined;
  readonly headerPrefix?: string | null | undefined;
}

/** Returns the name of the header with the secret or signature. */
export const toAuthHeaderName = ({ method, headerName }: HeaderChoice): string =>
  headerName ?? (method === "signature" ? SIGNATURE_HEADER : API_KEY_HEADER);

/**
 * Returns true if a delivery's header names are distinct, and the header of a secret isn't the default one of a
 * signature.
 */
export const hasDistinctHeaders = (choice: HeaderChoice): boolean => {
  const name = toAuthHeaderName(choice);
  return (
    !Object.values(toHeaderNames(choice.headerPrefix)).includes(name) &&
    (choice.method === "signature" || name !== SIGNATURE_HEADER)
  );
};

/** A well-formed webhook URL. Whether it may be called is decided after its name is resolved. */
const WebhookUrl = boundedText(1, LIMITS.webhookUrlMax);

/** Parameters of a new webhook. */
export const NewWebhook = z
  .strictObject({
    name: Name.describe("Display name of the webhook."),
    url: WebhookUrl.describe("An HTTPS URL that answers POST requests."),
    method: z.enum(WEBHOOK_METHODS).default("signature").describe("How the receiver verifies a delivery."),
    headerName: HeaderName.optional().describe(
      `Header with the signature or the secret; ${SIGNATURE_HEADER} or ${API_KEY_HEADER} when absent.`,
    ),
    headerPrefix: HeaderPrefix.optional().describe(
      `Prefix of the header names for the event and the delivery's id; ${HEADER_PREFIX} when absent.`,
    ),
    events: Events.optional().describe("Events to subscribe to; meeting.completed when absent."),
    tags: Tags.default([]).describe(TAGS_TEXT),
    format: Format.default("json").describe(FORMAT_TEXT),
  })
  .refine(hasDistinctHeaders, { path: ["headerName"], message: "must differ from the other headers" });
export type NewWebhook = z.output<typeof NewWebhook>;

/** Changes of a webhook. Absent fields stay unchanged. */
export const WebhookChange = z.strictObject({
  name: Name.optional().describe("Display name of the webhook."),
  url: WebhookUrl.optional().describe("An HTTPS URL that answers POST requests."),
  headerName: HeaderName.optional().describe("Header with the signature or the secret."),
  headerPrefix: HeaderPrefix.optional().describe(
    "Prefix of the header names for the event and the delivery's id.",
  ),
  events: Events.optional().describe("Events to subscribe to from now on."),
  tags: Tags.optional().describe(TAGS_TEXT),
  format: Format.optional().describe(FORMAT_TEXT),
});
export type WebhookChange = z.output<typeof WebhookChange>;

/**
 * State of a delivery. `held`: waits until its webhook is resumed and then for its turn. `canceled`: its meeting was
 * deleted before it was delivered.
 */
export const DELIVERY_STATES = ["pending", "held", "delivered", "failed", "skipped", "canceled"] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** Why an attempt failed. */
export const ATTEMPT_ERRORS = [
  "status", // a status other than 2xx
  "redirect", // not followed
  "timeout", // no complete answer within the timeout
  "dns", // the host name did not resolve
  "blocked", // a private or otherwise refused address
  "tls", // the certificate is not valid for the host
  "connection", // refused, reset, or not HTTP
] as const;
export type AttemptError = (typeof ATTEMPT_ERRORS)[number];

/** A delivery's id: a 64-bit number in decimal. */
export const DeliveryId = z
  .string()
  .refine((id) => /^[1-9]\d{0,18}$/.test(id) && BigInt(id) < 2n ** 63n, "must be a delivery's id");

/** Parameters of the delivery log, newest first. */
export const ListDeliveries = z.strictObject({
  ...Page,
  webhookId: Id.describe("Whose deliveries."),
  state: z.enum(DELIVERY_STATES).optional().describe("Only deliveries in this state."),
  from: InstantInput.optional().describe("Created at this time or later."),
  to: InstantInput.optional().describe("Created at this time or earlier."),
  cursor: DeliveryId.optional().describe("Opaque `nextCursor` of the previous page."),
});
export type ListDeliveries = z.output<typeof ListDeliveries>;

const webhookId = Id.describe("The webhook's `id`.");

/** Parameters of `webhooks.create`. */
export const NewWebhookOfKind = NewWebhook.safeExtend({
  kind: z.enum(["personal", "workspace"]).describe("Whose meetings it reports."),
});

/** Parameters of the operations on one webhook. */
export const WebhookRef = z.strictObject({ webhookId });

/** Parameters of `webhooks.update`. */
export const UpdateWebhook = WebhookChange.extend({ webhookId });

/** Parameters of `webhooks.resume`. */
export const ResumeWebhook = z.strictObject({
  webhookId,
  replay: z
    .boolean()
    .describe("True sends the held deliveries, oldest first. False skips them and sends only new ones."),
});

/** Parameters of the operations on one delivery. */
export const DeliveryRef = z.strictObject({ deliveryId: DeliveryId.describe("The delivery's `id`.") });

/** Parameters of `webhooks.redeliverFailed`. */
export const RedeliverFailed = z.strictObject({
  webhookId,
  from: InstantInput.describe("Created at this time or later."),
  to: InstantInput.describe("Created at this time or earlier."),
});

const webhook = {
  id: z.string().describe("The webhook's `webhookId`."),
  kind: z.enum(["personal", "workspace"]).describe("Whose meetings it reports."),
  name: z.string().describe("Display name."),
  url: z.string().describe("Where deliveries go. Members who are not admins see only its origin."),
  method: z.enum(WEBHOOK_METHODS).describe("How the receiver verifies a delivery."),
  headerName: z.string().nullable().describe("Header with the signature or the secret; null: the default."),
  headerPrefix: z.string().nullable().describe("Prefix of the other header names; null: the default."),
  events: z.array(z.string()).describe("Events it subscribes to."),
  tags: z.array(z.string()).describe(TAGS_TEXT),
  format: Format.describe(FORMAT_TEXT),
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
  message: secretMessage,
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

const WEBHOOK = { webhookId: "whk_example" };
const DELIVERY = { deliveryId: "1" };
const NO_WEBHOOK = createRefusal(404, MESSAGES.webhookNotFound);
const NO_DELIVERY = createRefusal(404, MESSAGES.deliveryNotFound);
const DISABLED = createRefusal(409, MESSAGES.webhookDisabled);
const ACCOUNT = { callers: ["user"], session: true } as const;
const MANAGED = { callers: ["user", "operator"], session: true } as const;
const OF_WEBHOOK = { ...MANAGED, input: WebhookRef, example: WEBHOOK, refuses: [NO_WEBHOOK] };
const OF_DELIVERY = { ...MANAGED, input: DeliveryRef, example: DELIVERY, refuses: [NO_DELIVERY] };

export const listWebhooks = query("webhooks.list", {
  ...ACCOUNT,
  operator: {},
  rest: { at: "GET /webhooks", id: "listWebhooks" },
  input: NoInput,
  output: WebhookList,
  summary: "List webhooks",
  description: "The caller's webhooks and the workspace's, with the results of the last 24 hours.",
  example: {},
  refuses: [],
});

export const createWebhook = mutation("webhooks.create", {
  ...ACCOUNT,
  operator: {},
  rest: { at: "POST /webhooks", id: "createWebhook", secret: "secret" },
  input: NewWebhookOfKind,
  output: NewWebhookSecret,
  summary: "Create a webhook",
  description: "The secret is shown only in this answer. Webhooks of the workspace are for admins.",
  example: { kind: "personal", name: "Example", url: "https://hooks.example.com/minutes" },
  refuses: [
    createRefusal(400, MESSAGES.webhookUrlNotHttps),
    createRefusal(403, MESSAGES.webhooksNeedPlan),
    createRefusal(409, MESSAGES.tooManyPersonalWebhooks),
  ],
});

export const getWebhook = query("webhooks.get", {
  ...OF_WEBHOOK,
  rest: { at: "GET /webhooks/{webhookId}", id: "getWebhook" },
  output: WebhookDetail,
  summary: "Get a webhook",
  description: "Without its secret.",
});

export const updateWebhook = mutation("webhooks.update", {
  ...OF_WEBHOOK,
  rest: { at: "PATCH /webhooks/{webhookId}", id: "updateWebhook" },
  input: UpdateWebhook,
  output: ChangedWebhook,
  summary: "Change a webhook",
  description: "Absent fields stay unchanged.",
  example: { ...WEBHOOK, name: "Example" },
});

export const deleteWebhook = mutation("webhooks.delete", {
  ...OF_WEBHOOK,
  rest: { at: "DELETE /webhooks/{webhookId}", id: "deleteWebhook" },
  output: Success,
  summary: "Delete a webhook",
  description: "What waits for it is not sent.",
});

export const regenerateWebhookSecret = mutation("webhooks.regenerate", {
  ...OF_WEBHOOK,
  rest: {
    at: "POST /webhooks/{webhookId}/regenerate",
    id: "regenerateWebhookSecret",
    secret: "secret",
  },
  output: NewWebhookSecret,
  summary: "Regenerate a webhook's secret",
  description:
    "The new one is shown only in this answer. With signatures, the old one signs for 24 more hours.",
});

export const disableWebhook = mutation("webhooks.disable", {
  ...OF_WEBHOOK,
  rest: { at: "POST /webhooks/{webhookId}/disable", id: "disableWebhook" },
  output: Success,
  summary: "Disable a webhook",
  description: "Nothing is sent.",
});

export const enableWebhook = mutation("webhooks.enable", {
  ...OF_WEBHOOK,
  rest: { at: "POST /webhooks/{webhookId}/enable", id: "enableWebhook" },
  output: Success,
  summary: "Enable a webhook",
  description: "New deliveries are sent again.",
});

export const resumeWebhook = mutation("webhooks.resume", {
  ...OF_WEBHOOK,
  rest: { at: "POST /webhooks/{webhookId}/resume", id: "resumeWebhook" },
  input: ResumeWebhook,
  output: Resumed,
  summary: "Resume a paused webhook",
  description: "Sends or skips what it missed.",
  example: { ...WEBHOOK, replay: true },
  refuses: [NO_WEBHOOK, createRefusal(409, MESSAGES.webhookNotPaused)],
});

export const testWebhook = mutation("webhooks.test", {
  ...OF_WEBHOOK,
  rest: { at: "POST /webhooks/{webhookId}/test", id: "testWebhook" },
  output: TestDelivery,
  summary: "Test a webhook",
  description: "Sends a sample.",
  refuses: [NO_WEBHOOK, DISABLED],
});

export const listDeliveries = query("webhooks.deliveries", {
  ...OF_WEBHOOK,
  rest: { at: "GET /webhooks/{webhookId}/deliveries", id: "listDeliveries" },
  input: ListDeliveries,
  output: DeliveryPage,
  summary: "List deliveries of a webhook",
  description: "Newest first, without content.",
  example: { ...WEBHOOK, limit: 20 },
});

export const redeliverFailed = mutation("webhooks.redeliverFailed", {
  ...OF_WEBHOOK,
  rest: { at: "POST /webhooks/{webhookId}/redeliver-failed", id: "redeliverFailed" },
  input: RedeliverFailed,
  output: Redelivered,
  summary: "Redeliver failed deliveries",
  description: "Those that were created in a range of time.",
  example: { ...WEBHOOK, from: "2026-01-15T09:30:00.000Z", to: "2026-01-15T10:00:00.000Z" },
  refuses: [NO_WEBHOOK, DISABLED],
});

export const getDelivery = query("webhooks.delivery", {
  ...OF_DELIVERY,
  rest: { at: "GET /deliveries/{deliveryId}", id: "getDelivery" },
  output: DeliveryDetail,
  summary: "Get a delivery",
  description: "With its attempts.",
});

export const getDeliveryRequest = query("webhooks.request", {
  ...OF_DELIVERY,
  callers: ["user"],
  rest: { at: "GET /deliveries/{deliveryId}/request", id: "getDeliveryRequest" },
  output: DeliveryRequest,
  summary: "Get the request of a delivery",
  description: "Its headers without the secret, and its body for those who can read the meeting.",
});

export const redeliver = mutation("webhooks.redeliver", {
  ...OF_DELIVERY,
  rest: { at: "POST /deliveries/{deliveryId}/redeliver", id: "redeliver" },
  output: Success,
  summary: "Redeliver a delivery",
  description: "Sends it again.",
  refuses: [NO_DELIVERY, createRefusal(409, MESSAGES.deliveryPending)],
});
