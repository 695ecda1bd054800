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
  toHeaderParameter(names.event, "The event's kind. Another prefix than `service-` may be chosen.", true),
  toHeaderParameter(names.delivery, "`metadata.id` of the body.", true),
  toHeaderParameter(
    SIGNATURE_HEADER,
    "With the method `signature`: `t=<unix seconds>,v0=<hex>`, the HMAC-SHA256 of `<t>.<raw body>`. " +
      "A further `,v0=<hex>` for 24 hours after a secret is replaced. Another name may be chosen.",
    false,
  ),
  toHeaderParameter(
    API_KEY_HEADER,
    "With the method `api-key`: the secret. Another name may be chosen.",
    false,
  ),
];

const SENT =
  ", over HTTPS: up to five times until the receiver answers with 2xx within 30 seconds. The same delivery may " +
  "arrive twice: `metadata.id` tells.";

/** What each event is, and when it is sent. */
const TEXTS: Readonly<Record<WebhookEventName, readonly [summary: string, sent: string]>> = {
  "meeting.completed": [
    "A meeting is completed",
    "Sent to every webhook that matches when a meeting is fully recorded and processed",
  ],
  "meeting.updated": [
    "A meeting changed",
    "Sent to webhooks that chose it when the tags of a meeting change, or its summary is unlocked",
  ],
  "meeting.deleted": ["A meeting is deleted", "Sent to webhooks that chose it when a meeting is deleted"],
  "meeting.shared": [
    "A meeting is shared",
    "Sent to webhooks that chose it, also to those of the member it is shared with, when a meeting is shared, " +
      "directly or by a tag",
  ],
  "task.updated": ["Tasks changed", "Sent to webhooks that chose it when tasks of a meeting change"],
  "recording.failed": [
    "A recording failed",
    "Sent to webhooks that chose it when a recorder reports that a recording failed",
  ],
};

const toOperationId = (event: string): string =>
  event.replace(/\.(\w)/g, (_, letter: string) => letter.toUpperCase());

/** Describes what receivers are sent, by event. @see docs/specification.md#events */
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
        responses: { "2XX": { description: "The delivery is accepted." } },
      };
      return [event, { post }];
    }),
  );
