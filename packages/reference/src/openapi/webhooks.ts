import { API_KEY_HEADER, MeetingCompleted, SIGNATURE_HEADER } from "@minutes/contract";
import { type Schemas, toJsonSchema } from "../schemas.js";

const toHeaderParameter = (name: string, description: string, required: boolean) => ({
  name,
  in: "header",
  required,
  description,
  schema: { type: "string" },
});

/** Describes what receivers are sent, by event. @see docs/specification.md#events */
export const toWebhookItems = (named: Schemas): Record<string, object> => ({
  "meeting.completed": {
    post: {
      operationId: "meetingCompleted",
      summary: "A meeting is completed",
      description:
        "Sent to every webhook that matches, over HTTPS, when a meeting is fully recorded and processed: up to five " +
        "times until the receiver answers with 2xx within 30 seconds. The same delivery may arrive twice: " +
        "`metadata.id` tells.",
      security: [],
      parameters: [
        toHeaderParameter("service-event", "The event's kind.", true),
        toHeaderParameter("service-delivery", "`metadata.id` of the body.", true),
        toHeaderParameter(
          SIGNATURE_HEADER,
          "With the method `signature`: `t=<unix seconds>,v0=<hex>`, the HMAC-SHA256 of `<t>.<raw body>`.",
          false,
        ),
        toHeaderParameter(
          API_KEY_HEADER,
          "With the method `api-key`: the secret. Another name may be chosen.",
          false,
        ),
      ],
      requestBody: {
        required: true,
        content: { "application/json": { schema: toJsonSchema(MeetingCompleted, "output", named) } },
      },
      responses: { "2XX": { description: "The delivery is accepted." } },
    },
  },
});
