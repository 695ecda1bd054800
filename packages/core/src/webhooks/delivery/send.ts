import { type AttemptError, LIMITS } from "@minutes/contract";
import { ConnectError, createGuardedClient } from "../../lib/http/guarded-connector.js";
import type { TargetPolicy } from "../../lib/http/target-policy.js";

/** One HTTP request of a delivery. */
interface WebhookRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The result of an attempt. Contains only the status of the answer. */
export interface AttemptOutcome {
  /** Null: no answer. */
  readonly status: number | null;
  /** Null: delivered. */
  readonly error: AttemptError | null;
  readonly milliseconds: number;
}

/** Sends deliveries. */
export interface Sender {
  /** Sends a request. Every failure is an outcome. Throws only if the HTTP client is missing from the installation. */
  send(request: WebhookRequest): Promise<AttemptOutcome>;
  /** Closes all connections. */
  close(): Promise<void>;
}

export interface SenderOptions {
  readonly targetPolicy: TargetPolicy;
  /** PEM certificates trusted in addition to the well-known ones. */
  readonly extraCa?: string | undefined;
  /** Timeout of the whole exchange, in ms. */
  readonly timeout?: number;
}

/** Timeout for reading an answer's body, so that the connection can be reused, in ms. */
const BODY_TIMEOUT = 1_000;

/** Creates a sender: HTTPS with valid certificates only, to addresses that the policy allows, without redirects. */
export function createSender({
  targetPolicy,
  extraCa,
  timeout = LIMITS.webhookTimeoutSeconds * 1000,
}: SenderOptions): Sender {
  let client: ReturnType<typeof createGuardedClient> | undefined;

  const send = async ({ url, headers, body }: WebhookRequest): Promise<AttemptOutcome> => {
    client ??= createGuardedClient(targetPolicy, extraCa);
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

function toAttemptError(status: number): AttemptError | null {
  if (status >= 200 && status < 300) return null;
  return status >= 300 && status < 400 ? "redirect" : "status";
}

/** Reads and discards the rest of a short answer. Closes the connection of a long or slow one. */
async function drain(body: NodeJS.ReadableStream & { destroy(): unknown }): Promise<void> {
  const timer = setTimeout(() => body.destroy(), BODY_TIMEOUT);
  let left: number = LIMITS.webhookAnswerBytes;
  try {
    for await (const chunk of body) {
      left -= chunk.length;
      if (left <= 0) break; // Destroys the body.
    }
  } catch {
    // Only the status counts, even if the body is incomplete.
  } finally {
    clearTimeout(timer);
  }
}
