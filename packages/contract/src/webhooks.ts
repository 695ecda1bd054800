import { z } from "zod";
import { InstantInput } from "./instants.js";
import { LIMITS } from "./limits.js";
import { Page } from "./meetings.js";
import { boundedText, Id, Name } from "./text.js";

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

const Events = z
  .array(z.enum(WEBHOOK_EVENTS))
  .min(1)
  .max(WEBHOOK_EVENTS.length)
  .refine((events) => new Set(events).size === events.length, "must name each event once");

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
