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
 * What webhooks can be told of. The first is the contract's, and all that a webhook is told of unless others are chosen.
 * @see docs/specification.md#events
 * @see docs/decisions/0166-events-after-completion.md
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

/** The header of the method `api-key` when no other is chosen. */
export const API_KEY_HEADER = "x-service-api-key";
/** The header of the method `signature`. */
export const SIGNATURE_HEADER = "x-service-signature";

/** What the names of the other two headers begin with when nothing else is chosen: `service-event`, `service-delivery`. */
export const HEADER_PREFIX = "service-";

/** Headers that HTTP or Minutes sets itself. They can't carry a secret. */
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

/** The name of a header that may carry a secret or a signature, in lower case. */
export const HeaderName = z
  .string()
  .overwrite((name) => name.toLowerCase())
  .refine(isFreeHeader, "must be a header name that HTTP and Minutes don't use themselves");

/** Returns the names of the headers that tell a delivery's event and id. */
export const toHeaderNames = (prefix: string | null = HEADER_PREFIX) => ({
  event: `${prefix ?? HEADER_PREFIX}event`,
  delivery: `${prefix ?? HEADER_PREFIX}delivery`,
});

/** What the names of the headers for event and id begin with, in lower case. */
export const HeaderPrefix = z
  .string()
  .overwrite((prefix) => prefix.toLowerCase())
  .refine(
    (prefix) =>
      prefix === HEADER_PREFIX ||
      (/^.{1,48}$/.test(prefix) && Object.values(toHeaderNames(prefix)).every(isFreeHeader)),
    "must begin header names that HTTP doesn't use itself",
  );

/** What decides the names of a delivery's headers. Null or absent: the usual ones. */
export interface HeaderChoice {
  readonly method: WebhookMethod;
  readonly headerName?: string | null | undefined;
  readonly headerPrefix?: string | null | undefined;
}

/** Returns the name of the header that carries the secret or the signature. */
export const toAuthHeaderName = ({ method, headerName }: HeaderChoice): string =>
  headerName ?? (method === "signature" ? SIGNATURE_HEADER : API_KEY_HEADER);

/** Returns true when all headers of a delivery have different names, and a secret doesn't come where a signature is expected. */
export const hasDistinctHeaders = (choice: HeaderChoice): boolean => {
  const name = toAuthHeaderName(choice);
  return (
    !Object.values(toHeaderNames(choice.headerPrefix)).includes(name) &&
    (choice.method === "signature" || name !== SIGNATURE_HEADER)
  );
};

/** Checks only the form of an address. Whether it may be called is decided when its name is resolved. */
const WebhookUrl = boundedText(1, LIMITS.webhookUrlMax);

/** Parameters of a new webhook. */
export const NewWebhook = z
  .strictObject({
    name: Name.describe("What it is called among the others."),
    url: WebhookUrl.describe("An HTTPS address that answers POST requests."),
    method: z
      .enum(WEBHOOK_METHODS)
      .default("signature")
      .describe("How the receiver tells that a delivery is ours."),
    headerName: HeaderName.optional().describe(
      `The header that carries the signature or the secret; ${SIGNATURE_HEADER} or ${API_KEY_HEADER} when absent.`,
    ),
    headerPrefix: HeaderPrefix.optional().describe(
      `What the names of the headers for the event and the delivery's id begin with; ${HEADER_PREFIX} when absent.`,
    ),
    events: Events.optional().describe("What it is told of; meeting.completed when absent."),
  })
  .refine(hasDistinctHeaders, { path: ["headerName"], message: "must differ from the other headers" });
export type NewWebhook = z.output<typeof NewWebhook>;

/** Changes of a webhook; absent fields stay. */
export const WebhookChange = z.strictObject({
  name: Name.optional().describe("What it is called among the others."),
  url: WebhookUrl.optional().describe("An HTTPS address that answers POST requests."),
  headerName: HeaderName.optional().describe("The header that carries the signature or the secret."),
  headerPrefix: HeaderPrefix.optional().describe(
    "What the names of the headers for the event and the delivery's id begin with.",
  ),
  events: Events.optional().describe("What it is told of from now on."),
});
export type WebhookChange = z.output<typeof WebhookChange>;

/**
 * State of a delivery. `held`: it waits until its webhook is resumed, and then for its turn. `canceled`: its meeting was
 * deleted before it arrived.
 */
export const DELIVERY_STATES = ["pending", "held", "delivered", "failed", "skipped", "canceled"] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** Why an attempt failed. */
export const ATTEMPT_ERRORS = [
  "status", // an answer other than 2xx
  "redirect", // not followed
  "timeout", // no whole answer within the time limit
  "dns", // the host name does not resolve
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
  state: z.enum(DELIVERY_STATES).optional().describe("Only those in this state."),
  from: InstantInput.optional().describe("Created at this time or later."),
  to: InstantInput.optional().describe("Created at this time or earlier."),
  cursor: DeliveryId.optional().describe("`nextCursor` of the page before; opaque."),
});
export type ListDeliveries = z.output<typeof ListDeliveries>;
