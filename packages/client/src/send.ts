import type { Clock } from "./clock.js";
import { type Failure, MinutesError, type RateLimit, toErrorCode } from "./errors.js";
import type { FetchLike } from "./options.js";
import type { QuotaUpdate } from "./quota.js";

/** An HTTP request that can be sent more than once. */
export interface Request {
  readonly url: string;
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  readonly headers: Record<string, string>;
  readonly body: string | null;
  /** True if the answer is the payload, as over REST, without tRPC's envelope. */
  readonly isBare: boolean;
  /** True if a successful answer is lines of JSON, read one by one; the payload is the answer itself. */
  readonly streams: boolean;
}

/** Result of an attempt and the quota its answer reported. */
export interface Outcome {
  readonly payload?: unknown;
  readonly failure?: MinutesError;
  /** True if the answer is lost: the service may have carried the request out. */
  readonly isLost?: boolean;
  readonly quota: QuotaUpdate | null;
  /** The answer without its body; absent if there was none. */
  readonly answer?: Pick<Answer, "status" | "headers">;
}

/** An HTTP answer. */
export type Answer = Awaited<ReturnType<FetchLike>>;

const readWholeNumber = (answer: Answer, name: string): number | null => {
  const text = answer.headers.get(name);
  return text !== null && /^\d+$/.test(text) ? Number(text) : null;
};

/** Maximum wait derived from the local clock alone, which may be wrong, in ms. */
const LONGEST_GUESS = 60_000;

function readQuota(answer: Answer, now: number): QuotaUpdate | null {
  const [limit, remaining, reset] = ["limit", "remaining", "reset"].map((name) =>
    readWholeNumber(answer, `x-ratelimit-${name}`),
  );
  if (limit == null || remaining == null || reset == null) return null;
  const exceeded = answer.status === 429;
  const retryAfter = exceeded ? readWholeNumber(answer, "retry-after") : null;
  // Use the service's clock, in case this one is wrong. Browsers may hide the header.
  const serverTime = Date.parse(answer.headers.get("date") ?? "");
  const guess = Number.isNaN(serverTime)
    ? Math.min(reset * 1000 - now, LONGEST_GUESS)
    : reset * 1000 - serverTime;
  const resetsIn = retryAfter === null ? Math.max(0, guess) : retryAfter * 1000;
  return { limit, remaining, reset: new Date(reset * 1000), resetsIn, exceeded };
}

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** Returns the value at a path of a JSON value of unknown shape. */
const getPath = (value: unknown, ...path: string[]): unknown =>
  path.reduce<unknown>(
    (inner, key) =>
      typeof inner === "object" && inner !== null && Object.hasOwn(inner, key)
        ? (inner as Record<string, unknown>)[key]
        : undefined,
    value,
  );

/** The service's error message for a path outside its APIs. */
const NO_ROUTE = "Not found";

/** Describes an answer without a message, which is incomplete or not from Minutes. */
function describe(status: number, text: string, url: string): string {
  // Browsers hide the status of a redirect.
  if (status === 0 || (status >= 300 && status < 400))
    return "The address redirects. Set baseUrl to the final one.";
  // A proxy in front of Minutes also answers, but not with these.
  if (![200, 404, 405].includes(status)) return `The service answered with status ${status} and no message.`;
  const what = /^\s*</.test(text) ? "a web page, not" : "incomplete or not";
  // Query parameters can contain content of meetings.
  const [at] = url.split("?");
  return `The answer of ${at} with status ${status} is ${what} from Minutes. baseUrl must be the service's address without an API path: https://minutes.example.com.`;
}

function toOutcome(answer: Answer, text: string, request: Request, now: number): Outcome {
  const quota = readQuota(answer, now);
  const body = parseJson(text);
  const { status } = answer;
  const payload = request.isBare ? body : getPath(body, "result", "data", "json");
  if (status === 200 && payload !== undefined) return { payload, quota };
  const said = getPath(body, "error");
  const isSaid = typeof said === "string" && said !== NO_ROUTE;
  const rateLimit: RateLimit | null = quota && {
    limit: quota.limit,
    remaining: quota.remaining,
    reset: quota.reset,
  };
  const failure = new MinutesError({
    message: isSaid ? said : describe(status, text, request.url),
    code: isSaid || status !== 404 ? toErrorCode(status) : "unexpected_answer",
    status,
    rateLimit,
    retryAfter: readWholeNumber(answer, "retry-after"),
    response: { status, headers: answer.headers, body: text },
  });
  return { failure, quota, isLost: !isSaid && (status === 200 || status >= 500) };
}

const toUnansweredOutcome = (code: Failure["code"], message: string, cause: unknown): Outcome => ({
  failure: new MinutesError({ message, code, status: null, rateLimit: null, retryAfter: null }, cause),
  quota: null,
});

/** Creates the error of an aborted call. */
export const toAbortedError = (cause: unknown): MinutesError =>
  toUnansweredOutcome("aborted", "The call was aborted.", cause).failure as MinutesError;

/** Creates the error of a call whose key can't be sent. */
export const toUnsentError = (message: string): MinutesError =>
  toUnansweredOutcome("unauthorized", message, null).failure as MinutesError;

/** Creates the error of an answer that ended before it was complete. */
export const toBrokenError = (cause?: unknown): MinutesError =>
  toUnansweredOutcome("network", "The answer broke off.", cause).failure as MinutesError;

/** Sends a request once. Never rejects: a failure is part of the outcome. */
export async function send(
  request: Request,
  options: { fetch: FetchLike; timeout: number; signal: AbortSignal | null; clock: Clock },
): Promise<Outcome> {
  const { fetch, timeout, signal, clock } = options;
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), timeout);
  const host = new URL(request.url).origin;
  const fail = (code: Failure["code"], message: string, cause: unknown, isLost = true): Outcome => ({
    ...toUnansweredOutcome(code, message, cause),
    isLost,
  });
  try {
    // Following a redirect would send the key to its target.
    const answer = await fetch(request.url, {
      method: request.method,
      headers: request.headers,
      ...(request.body === null ? {} : { body: request.body }),
      signal: signal ? AbortSignal.any([signal, late.signal]) : late.signal,
      redirect: "manual",
    });
    if (request.streams && answer.status === 200)
      return { payload: answer, quota: readQuota(answer, clock.now()), answer };
    return { ...toOutcome(answer, await answer.text(), request, clock.now()), answer };
  } catch (cause) {
    if (signal?.aborted) return fail("aborted", "The call was aborted.", cause);
    if (late.signal.aborted) return fail("timeout", `${host} did not answer within ${timeout} ms.`, cause);
    // Node.js reports these codes if nothing was sent.
    const why = getPath(cause, "cause", "code");
    const isSent = !/REFUSED|NOTFOUND|AGAIN/.test(String(why));
    return fail("network", `The service at ${host} can't be reached${why ? `: ${why}` : ""}.`, cause, isSent);
  } finally {
    clearTimeout(timer);
  }
}
