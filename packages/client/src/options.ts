/** The part of `fetch` the client uses. The global one of Node, Deno, Bun, workers and browsers fits. */
export type FetchLike = (
  url: string,
  init: {
    method: "GET" | "POST" | "PATCH" | "DELETE";
    headers: Record<string, string>;
    body?: string;
    signal: AbortSignal;
    redirect: "manual";
  },
) => Promise<{
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  text(): Promise<string>;
  /** Bytes as they arrive. Without it, `ask` has its lines once all have arrived. */
  readonly body?: {
    getReader(): {
      read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
      cancel(): Promise<void>;
    };
  } | null;
}>;

/** A value, or a function called for it before every request. */
export type Provided<Value> = Value | (() => Value | Promise<Value>);

/** A pause before a call is sent, or sent again. */
export interface Wait {
  /** `rate_limit`: the quota is exhausted. `retry`: an attempt failed. */
  readonly reason: "rate_limit" | "retry";
  /** Duration of the pause in whole ms. */
  readonly milliseconds: number;
}

/** A request as hooks see it: without headers, which have the key. The URL of a read has its parameters. */
export interface SentRequest {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  readonly url: string;
}

/** An answer as hooks see it. */
export interface ReceivedResponse extends SentRequest {
  /** HTTP status; null if there was no answer. */
  readonly status: number | null;
  /** Identifies the request in the service's log; null if there was no answer. */
  readonly requestId: string | null;
  /** Duration of the attempt in ms. */
  readonly milliseconds: number;
}

/** Address, key, timeouts and retries of a client. */
export interface ClientOptions {
  /** The service's address with scheme and without version: `https://minutes.example.com`. */
  readonly baseUrl: string;
  /** A key that starts with `jk_`, or a function that returns one. */
  readonly apiKey: Provided<string>;
  /** Additional headers for every request. */
  readonly headers?: Provided<Readonly<Record<string, string>>> | undefined;
  /** Replaces the global `fetch`, for proxies, logging and tests. */
  readonly fetch?: FetchLike | undefined;
  /**
   * Timeout of one attempt in ms; 30,000 by default. Time in the rate-limit queue doesn't count. Reads of the change
   * feed get 15 s more, because they long-poll.
   */
  readonly timeout?: number | undefined;
  /**
   * Maximum retries of a call after 502, 503, 504, a network error or a timeout; 3 by default. 0 also disables the
   * rate-limit queue: calls over the quota are sent and fail with 429.
   */
  readonly retries?: number | undefined;
  /**
   * Retry writes of `/v1`, such as `meetings.delete`. Off by default: the lost answer may have been a success. Creates of
   * the ingest and settings clients are always retried, because they have an idempotency key.
   */
  readonly retryWrites?: boolean | undefined;
  /** Maximum time a call, read or write, waits for the rate limit before it fails with 429, in ms; 600,000 by default. */
  readonly patience?: number | undefined;
  /** Called when a pause begins, for logs and progress bars. Called once per pause, however many calls wait. */
  readonly onWait?: ((wait: Wait) => void) | undefined;
  /** Called before each attempt, for logs and traces. */
  readonly onRequest?: ((request: SentRequest) => void) | undefined;
  /** Called after each attempt, whether it was answered or not. */
  readonly onResponse?: ((response: ReceivedResponse) => void) | undefined;
}

/** Options of the settings client. */
export interface SettingsOptions extends Omit<ClientOptions, "apiKey"> {
  /** A session token that starts with `mst_`, or a function that returns one. */
  readonly token: Provided<string>;
}
