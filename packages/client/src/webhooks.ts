import type {
  MeetingCompleted,
  MeetingDeleted,
  MeetingShared,
  MeetingUpdated,
  RecordingFailed,
  TaskUpdated,
} from "./events.js";

export type * from "./events.js";
/** Every webhook event. `metadata.event` discriminates; `isEvent` narrows the type. */
export type AnyWebhookEvent =
  | MeetingCompleted
  | MeetingUpdated
  | MeetingDeleted
  | MeetingShared
  | TaskUpdated
  | RecordingFailed;

/** The name of an event: `meeting.completed`, or one that a webhook can subscribe to. */
export type WebhookEventName = AnyWebhookEvent["metadata"]["event"];

/** The event of a delivery, by name; `meeting.completed` by default. */
export type WebhookEvent<Name extends WebhookEventName = "meeting.completed"> = Extract<
  AnyWebhookEvent,
  { metadata: { event: Name } }
>;

/**
 * Returns true for an event of that name, and narrows its type. TypeScript does not narrow by the nested
 * `metadata.event`.
 */
export const isEvent = <Event extends AnyWebhookEvent, Name extends Event["metadata"]["event"]>(
  event: Event,
  name: Name,
): event is Extract<Event, { metadata: { event: Name } }> => event.metadata.event === name;

/** Headers as frameworks provide them: a `Headers` object, or an object such as Node's `request.headers`. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

/** Options for verifying a delivery. */
export interface VerifyOptions<Name extends WebhookEventName = WebhookEventName> {
  /**
   * The events that the webhook subscribed to; `meeting.completed` by default. Others are refused, which keeps the
   * types right.
   */
  readonly events?: readonly Name[] | undefined;
  /** Maximum difference between a signature's time and this machine's clock, in seconds; 300 by default. */
  readonly tolerance?: number | undefined;
  /** Header of the signature or secret; `x-service-signature` or `x-service-api-key` by default. */
  readonly headerName?: string | undefined;
  /** This machine's clock in Unix milliseconds, for tests. */
  readonly now?: (() => number) | undefined;
}

/** Why a delivery was rejected. */
export type WebhookErrorCode =
  | "missing-header" // neither a signature nor a key
  | "malformed-header" // the signature header is malformed
  | "expired" // signed too long ago, or in the future
  | "wrong-secret" // the signature or the key does not match
  | "malformed-body" // verified, but not an event
  | "unexpected-event"; // verified, but not in the option `events`

/** A delivery that must not be processed. Answer it with 400. */
export class WebhookVerificationError extends Error {
  override readonly name = "WebhookVerificationError";
  constructor(
    readonly code: WebhookErrorCode,
    message: string,
  ) {
    super(message);
  }
}

const TOLERANCE_SECONDS = 300;
/** The time and a signature for each valid secret: one, or several during a rotation. */
const SIGNATURE = /^t=(\d{1,12})((?:,v0=[0-9a-f]{64}){1,8})$/;
const encoder = new TextEncoder();

/**
 * Verifies that a delivery comes from Minutes, by signature or by API key, depending on the secret, and returns its
 * event. Comparisons take constant time.
 *
 * Pass the raw body, before any JSON parser: different bytes have a different signature. The method `api-key` proves
 * the sender, but neither the body nor the time.
 *
 * The same delivery can arrive more than once. Remember `event.metadata.id` while it can be retried (about two hours),
 * or better, while it can be redelivered by hand (30 days). Answer repeats with 2xx and skip them.
 *
 * Uses Web Crypto: runs on Node.js 20, Deno, Bun, workers and browsers.
 *
 * @param secret the whole secret as shown at creation, `ss_…` or `sk_…`
 * @throws WebhookVerificationError
 */
export async function verifyWebhook<Name extends WebhookEventName = "meeting.completed">(
  rawBody: string | Uint8Array | ArrayBuffer | undefined,
  headers: WebhookHeaders,
  secret: string,
  options: VerifyOptions<Name> = {},
): Promise<WebhookEvent<Name>> {
  // As read from a file, a secret ends with a line break; from an environment, it can be undefined.
  const trimmed = String(secret ?? "").trim();
  if (trimmed === "") throw new TypeError("The webhook's secret is empty.");
  const body = toBytes(rawBody);
  const signs = trimmed.startsWith("ss_");
  const signature = getHeader(headers, (signs && options.headerName) || "x-service-signature");
  const key = getHeader(headers, (!signs && options.headerName) || "x-service-api-key");
  if (signature !== null) await checkSignature(body, signature, trimmed, options);
  else if (key !== null) await checkKey(key, trimmed);
  else {
    throw new WebhookVerificationError("missing-header", "The request has no signature and no API key.");
  }
  const event = parseEvent(body);
  const expected: readonly WebhookEventName[] = options.events ?? ["meeting.completed"];
  if (!expected.includes(event.metadata.event)) {
    throw new WebhookVerificationError(
      "unexpected-event",
      "The event is not listed in the option events. Add it there, or subscribe the webhook to fewer events.",
    );
  }
  return event as WebhookEvent<Name>;
}

async function checkSignature(
  body: Uint8Array,
  header: string,
  secret: string,
  { tolerance = TOLERANCE_SECONDS, now = Date.now }: VerifyOptions,
): Promise<void> {
  // Otherwise a webhook with the method api-key would accept a header its sender never sets.
  if (secret.startsWith("sk_")) {
    throw new WebhookVerificationError(
      "wrong-secret",
      "The secret is an API key, and the request is signed.",
    );
  }
  const [, time = "", list = ""] = SIGNATURE.exec(header) ?? [];
  if (list === "") {
    throw new WebhookVerificationError("malformed-header", "The signature is not t=<seconds>,v0=<hex>.");
  }
  const message = new Uint8Array(time.length + 1 + body.length);
  message.set(encoder.encode(`${time}.`));
  message.set(body, time.length + 1);
  const expected = await computeHmac(encoder.encode(secret), message);
  const signatures = list
    .slice(1)
    .split(",")
    .map((part) => fromHex(part.slice("v0=".length)));
  // Compare all of them, so the time doesn't reveal which one matches.
  if (signatures.filter((signature) => isEqual(expected, signature)).length === 0) {
    throw new WebhookVerificationError(
      "wrong-secret",
      "The signature does not match the body and the secret.",
    );
  }
  if (Math.abs(now() / 1000 - Number(time)) > tolerance) {
    throw new WebhookVerificationError("expired", `The signature is not from the last ${tolerance} seconds.`);
  }
}

async function checkKey(key: string, secret: string): Promise<void> {
  if (secret.startsWith("ss_")) {
    throw new WebhookVerificationError(
      "wrong-secret",
      "The secret verifies signatures; the request has none.",
    );
  }
  // Digests under a random key have equal length, and their comparison doesn't reveal where the inputs differ.
  const once = crypto.getRandomValues(new Uint8Array(32));
  const [received, expected] = await Promise.all([
    computeHmac(once, encoder.encode(key)),
    computeHmac(once, encoder.encode(secret)),
  ]);
  if (!isEqual(received, expected)) {
    throw new WebhookVerificationError("wrong-secret", "The API key is not the webhook's secret.");
  }
}

function parseEvent(body: Uint8Array): AnyWebhookEvent {
  try {
    const event = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body)) as AnyWebhookEvent;
    const { id, event: name } = event.metadata;
    // Nothing else is required: a service that keeps to the specification may send no data.id.
    if (typeof id === "string" && typeof name === "string" && typeof event.data === "object" && event.data)
      return event;
  } catch {
    // Reported below.
  }
  throw new WebhookVerificationError("malformed-body", "The body is not a webhook event.");
}

async function computeHmac(
  key: Uint8Array<ArrayBuffer>,
  message: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const imported = await crypto.subtle.importKey("raw", key, algorithm, false, ["sign"]);
  return new Uint8Array(await crypto.subtle.sign("HMAC", imported, message));
}

/** Compares in constant time. */
function isEqual(one: Uint8Array, other: Uint8Array): boolean {
  let difference = one.length ^ other.length;
  for (let at = 0; at < one.length; at++) difference |= (one[at] ?? 0) ^ (other[at] ?? 0);
  return difference === 0;
}

const fromHex = (hex: string): Uint8Array =>
  Uint8Array.from({ length: hex.length / 2 }, (_, at) => Number.parseInt(hex.slice(2 * at, 2 * at + 2), 16));

function toBytes(body: string | Uint8Array | ArrayBuffer | undefined): Uint8Array<ArrayBuffer> {
  if (body === undefined)
    throw new WebhookVerificationError(
      "malformed-body",
      'The request has no body, or nothing read it: in Express, use express.raw({ type: "application/json" }).',
    );
  if (typeof body === "string") return encoder.encode(body);
  // Passing a parsed object is the most common mistake, and its error would be hard to understand.
  if (body instanceof ArrayBuffer || ArrayBuffer.isView(body)) return new Uint8Array(body);
  throw new TypeError("Pass the raw body of the request, not a parsed one.");
}

/** Returns a header that was sent exactly once, ignoring case; otherwise null. */
function getHeader(headers: WebhookHeaders, name: string): string | null {
  if (typeof headers.get === "function") return headers.get(name);
  const wanted = name.toLowerCase();
  const found = Object.entries(headers).filter(([key]) => key.toLowerCase() === wanted);
  const [value] = found.map(([, text]) => text);
  return found.length === 1 && typeof value === "string" ? value : null;
}
