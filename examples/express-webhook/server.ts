import { verifyWebhook, WebhookVerificationError } from "@minutes/client/webhooks";
import express from "express";

const secret = process.env.WEBHOOK_SECRET ?? "";
/** Deliveries that were processed. A real receiver keeps these ids in its database, with what it did. */
const processed = new Set<string>();

const app = express();

// The raw body: a parsed one can't be verified. Transcripts are long, so the limit is, too.
app.post("/webhook", express.raw({ type: () => true, limit: "50mb" }), async (request, response) => {
  try {
    const event = await verifyWebhook(request.body, request.headers, secret);
    if (!processed.has(event.metadata.id)) {
      console.log(`${event.data.title}: ${event.data.summary.short}`);
      processed.add(event.metadata.id); // after the work: if it fails, the delivery is sent again
    }
    response.sendStatus(204); // soon: whatever takes longer than 30 seconds is sent again
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    response.status(400).json({ error: error.message });
  }
});

app.listen(Number(process.env.PORT ?? 8080), "127.0.0.1", () => console.log("listening"));
