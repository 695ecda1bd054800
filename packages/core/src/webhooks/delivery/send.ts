import { type AttemptError, LIMITS } from "@minutes/contract";
import type { AddressGuard } from "./guard.js";
import { ConnectError, createGuardedConnector } from "./guarded-connector.js";

/** One HTTP request of a delivery. */
export interface WebhookRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The result of an attempt. Of the answer it has only the status. */
export interface AttemptOutcome {
  /** Null: no answer. */
  readonly status: number | null;
  /** Null: delivered. */
  readonly error: AttemptError | null;
  readonly milliseconds: number;
}

/** Sends deliveries. */
export interface Sender {
  /** Sends a request. Every failure is an outcome; only a missing HTTP client, an incomplete installation, throws. */
  send(request: WebhookRequest): Promise<AttemptOutcome>;
  /** Ends all connections. */
  close(): Promise<void>;
}

export interface SenderOptions {
  readonly guard: AddressGuard;
  /** Certificates in PEM form that are trusted besides the well-known ones. */
  readonly extraCa?: string | undefined;
  /** Milliseconds for the whole exchange. */
  readonly timeout?: number;
}

/** Milliseconds to read the body of an answer, so that the connection can be used again. */
const BODY_TIMEOUT = 1_000;

/** Creates a sender: HTTPS with valid certificates only, to addresses that the guard allows, without redirects. */
export function createSender({
  guard,
  extraCa,
  timeout = LIMITS.webhookTimeoutSeconds * 1000,
}: SenderOptions): Sender {
  let client: ReturnType<typeof createClient> | undefined;

  const send = async ({ url, headers, body }: WebhookRequest): Promise<AttemptOutcome> => {
    client ??= createClient(createGuardedConnector(guard, extraCa));
    const { request, agent } = await client;
    const began = performance.now();
    const deadline = AbortSignal.timeout(timeout);
    const toOutcome = (status: number | null, error: AttemptError | null): AttemptOutcome => ({
      status,
      error,
      milliseconds: Math.round(performance.now() - began),
    });
    try {
      const answer = await request(url, {
        method: "POST",
        headers,
        body,
        dispatcher: agent,
        signal: deadline,
        highWaterMark: LIMITS.webhookAnswerBytes / 4,
      });
      const result = toOutcome(answer.statusCode, toAttemptError(answer.statusCode));
      await drain(answer.body);
      return result;
    } catch (error) {
      if (deadline.aborted) return toOutcome(null, "timeout");
      return toOutcome(null, error instanceof ConnectError ? error.kind : "connection");
    }
  };
  return { send, close: async () => (await client)?.agent.destroy() };
}

/** Loads the HTTP client, which a process without webhooks never needs. */
async function createClient(connect: ReturnType<typeof createGuardedConnector>) {
  // The bundle gives modules in CommonJS as their default export alone.
  const { default: undici } = await import("undici");
  const agent = new undici.Agent({
    connect,
    // These two restart with each byte. The deadline of the whole exchange stops a slow drip.
    headersTimeout: 0,
    bodyTimeout: 0,
    pipelining: 1,
  });
  return { request: undici.request, agent };
}

function toAttemptError(status: number): AttemptError | null {
  if (status >= 200 && status < 300) return null;
  return status >= 300 && status < 400 ? "redirect" : "status";
}

/** Reads and discards the rest of a short answer. Ends the connection of a long or slow one. */
async function drain(body: NodeJS.ReadableStream & { destroy(): unknown }): Promise<void> {
  const timer = setTimeout(() => body.destroy(), BODY_TIMEOUT);
  let left: number = LIMITS.webhookAnswerBytes;
  try {
    for await (const chunk of body) {
      left -= chunk.length;
      if (left <= 0) break; // Destroys the body.
    }
  } catch {
    // The status counts; an incomplete body changes nothing.
  } finally {
    clearTimeout(timer);
  }
}
