import { MESSAGES } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { sql } from "drizzle-orm";
import { audit } from "../../access/audit.js";
import type { Manager } from "../../access/callers.js";
import { notifyWorkers } from "../../events/index.js";
import { ApiError } from "../../lib/errors.js";
import { SAMPLE_DATA } from "../delivery/payload.js";
import { lockManagedWebhook } from "./access.js";
import { requireWebhookPlan } from "./create.js";

const { deliveries, webhookEvents } = schema;

/**
 * Sends a realistic sample to one webhook, in the same way as any other delivery.
 * @throws ApiError 404, 403 also on the free plan, 409 if the webhook is disabled
 */
export async function sendTest(
  db: Database,
  caller: Manager,
  webhookId: string,
): Promise<{ deliveryId: string }> {
  return db.transaction(async (tx) => {
    const webhook = await lockManagedWebhook(tx, caller, webhookId);
    if (webhook.disabledAt !== null) throw new ApiError("CONFLICT", MESSAGES.webhookDisabled);
    await requireWebhookPlan(tx, webhook);
    const [event] = await tx
      .insert(webhookEvents)
      .values({ data: JSON.stringify(SAMPLE_DATA) })
      .returning({ id: webhookEvents.id });
    if (!event) throw new TypeError("The event was not stored.");
    const [delivery] = await tx
      .insert(deliveries)
      .values({ webhookId, eventId: event.id })
      .returning({ id: sql<string>`${deliveries.id}::text` });
    await audit(tx, caller, "webhook.test", webhookId);
    await tx.execute(sql`select ${notifyWorkers}`);
    return { deliveryId: delivery?.id ?? "" };
  });
}
