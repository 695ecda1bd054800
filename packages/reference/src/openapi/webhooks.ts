import {
  API_KEY_HEADER,
  SIGNATURE_HEADER,
  toHeaderNames,
  WEBHOOK_EVENTS,
  WEBHOOK_PAYLOADS,
  type WebhookEventName,
} from "@minutes/contract";
import { type Schemas, toJsonSchema } from "../schemas.js";

const toHeaderParameter = (name: string, description: string, required: boolean) => ({
  name,
  in: "header",
  required,
  description,
  schema: { type: "string" },
});

const names = toHeaderNames();
const HEADERS = [
  toHeaderParameter(names.event, "The event's name. The prefix `service-` can be changed.", true),
  toHeaderParameter(names.delivery, "`metadata.id` of the body.", true),
  toHeaderParameter(
    SIGNATURE_HEADER,
    "With the method `signature`: `t=<unix seconds>,v0=<hex>`, the HMAC-SHA256 of `<t>.<raw body>`. " +
      "A further `,v0=<hex>` for 24 hours after a secret is replaced. The header name can be changed.",
    false,
  ),
  toHeaderParameter(
    API_KEY_HEADER,
    "With the method `api-key`: the secret. The header name can be changed.",
    false,
  ),
];

const SENT =
  ", over HTTPS: up to five times until the receiver answers with 2xx within 30 seconds. The same delivery can " +
  "arrive twice: deduplicate by `metadata.id`.";

/** Summary of each event and when it is sent. */
const TEXTS: Readonly<Record<WebhookEventName, readonly [summary: string, sent: string]>> = {
  "meeting.completed": [
    "A meeting is completed",
    "Sent to every matching webhook when a meeting is fully recorded and processed",
  ],
  "meeting.updated": [
    "A meeting changed",
    "Sent to subscribed webhooks when the tags of a meeting change, or its summary is unlocked",
  ],
  "meeting.deleted": ["A meeting is deleted", "Sent to subscribed webhooks when a meeting is deleted"],
  "meeting.shared": [
    "A meeting is shared",
    "Sent to subscribed webhooks, including those of the member it is shared with, when a meeting is shared, " +
      "directly or by a tag",
  ],
  "task.updated": ["Tasks changed", "Sent to subscribed webhooks when tasks of a meeting change"],
  "recording.failed": [
    "A recording failed",
    "Sent to subscribed webhooks when a recorder reports that a recording failed",
  ],
};

const toOperationId = (event: string): string =>
  event.replace(/\.(\w)/g, (_, letter: string) => letter.toUpperCase());

/** Describes the webhook deliveries by event. @see docs/specification.md#events */
export const toWebhookItems = (named: Schemas): Record<string, object> =>
  Object.fromEntries(
    WEBHOOK_EVENTS.map((event) => {
      const [summary, sent] = TEXTS[event];
      const schema = toJsonSchema(WEBHOOK_PAYLOADS[event], "output", named);
      const post = {
        operationId: toOperationId(event),
        summary,
        description: sent + SENT,
        security: [],
        parameters: HEADERS,
        requestBody: { required: true, content: { "application/json": { schema } } },
        responses: { "2XX": { description: "The delivery was accepted." } },
      };
      return [event, { post }];
    }),
  );
