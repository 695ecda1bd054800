import { verifyWebhook, type WebhookEvent, WebhookVerificationError } from "@minutes/client/webhooks";

/** What the handler needs from its platform. */
export interface Environment {
  readonly secret: string;
  readonly isProcessed: (deliveryId: string) => Promise<boolean>;
  /** Does its work and notes the delivery's id in one go: noted before, a delivery whose work fails would be lost. */
  readonly process: (event: WebhookEvent) => Promise<void>;
}

/** Handles a delivery, in workers, Deno, Bun, Next.js and whatever else answers a `Request` with a `Response`. */
export async function handleWebhook(request: Request, environment: Environment): Promise<Response> {
  try {
    const event = await verifyWebhook(await request.arrayBuffer(), request.headers, environment.secret);
    if (!(await environment.isProcessed(event.metadata.id))) await environment.process(event);
    return new Response(null, { status: 204 });
  } catch (error) {
    if (error instanceof WebhookVerificationError)
      return Response.json({ error: error.message }, { status: 400 });
    throw error; // a 500: the delivery comes again
  }
}
