/** What the client needs of a `fetch`: the global one of Node, Deno, Bun, workers and browsers fits. */
export type FetchLike = (
  url: string,
  init: {
    method: "GET" | "POST";
    headers: Record<string, string>;
    body?: string;
    signal: AbortSignal;
    redirect: "manual";
  },
) => Promise<{
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  text(): Promise<string>;
}>;

/** A value, or a function that is asked for it before every request. */
export type Provided<Value> = Value | (() => Value | Promise<Value>);

/** A pause before a call is sent, or sent again. */
export interface Wait {
  /** `rate_limit`: the quota is used up. `retry`: an attempt failed. */
  readonly reason: "rate_limit" | "retry";
  /** How long the pause lasts, in milliseconds. */
  readonly milliseconds: number;
}

/** Where the service is, the key that calls it, and how patient the client is. */
export interface ClientOptions {
  /** The service's address with its scheme and without the version: `https://minutes.example.com`. */
  readonly baseUrl: string;
  /** A key that starts with `jk_`, or a function that returns it. */
  readonly apiKey: Provided<string>;
  /** More headers for every request. */
  readonly headers?: Provided<Readonly<Record<string, string>>>;
  /** Another `fetch`, for proxies, logs and tests. */
  readonly fetch?: FetchLike;
  /** Milliseconds that one attempt may take; 30,000 when absent. Waiting for the quota doesn't count. */
  readonly timeout?: number;
  /**
   * How often a failed call is tried again: after 502, 503, 504, a network error or a timeout. 3 when absent, 0 for
   * never; 0 also sends calls at once that would exceed the quota, and lets a 429 through.
   */
  readonly retries?: number;
  /** Try writes (`tasks.update`, `meetings.delete`) again too. Off when absent: a lost answer may hide a success. */
  readonly retryWrites?: boolean;
  /**
   * The longest in milliseconds that a call waits under the rate limit before it fails with 429; 600,000 when
   * absent.
   */
  readonly patience?: number;
  /** Called when a pause begins, for logs and progress bars. One call a pause, however many calls wait. */
  readonly onWait?: (wait: Wait) => void;
}
