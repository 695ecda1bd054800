import type { Operation, TRPCLink } from "@trpc/client";
import type { AnyTRPCRouter as AnyRouter } from "@trpc/server";
import { observable } from "@trpc/server/observable";
import { toServiceUrl } from "./base-url.js";
import { type Clock, realClock } from "./clock.js";
import { toSendable } from "./credential.js";
import { type Failure, MinutesError } from "./errors.js";
import type { ClientOptions, Provided, SettingsOptions } from "./options.js";
import { createQuota, type Quota } from "./quota.js";
import type { MeRouter, WorkspaceRouter } from "./routers.js";
import { type Outcome, type Request, send, toAbortedError, toUnsentError } from "./send.js";
import { aimAtProcedure, type Target } from "./target.js";

/** The two route sets, one per kind of key. */
export type RouteSet = "me" | "workspace";
/** The router of a route set. */
export type RouterForRoutes<Routes extends RouteSet> = Routes extends "me" ? MeRouter : WorkspaceRouter;

export const DEFAULTS = { timeout: 30_000, retries: 3, patience: 600_000 };
/** Delay before the first retry in ms. It doubles with each retry, up to a cap. */
const FIRST_DELAY = 250;
const LONGEST_DELAY = 10_000;

/**
 * Creates a terminating tRPC link to one route set, for use with your own `@trpc/client` or
 * `@trpc/tanstack-react-query`. It needs no transformer, retries as the clients do, and fails with `MinutesError`.
 *
 * @example createTRPCClient<MeRouter>({ links: [link("me", { baseUrl, apiKey })] })
 */
export const link = <Routes extends RouteSet>(
  routes: Routes,
  options: ClientOptions,
): TRPCLink<RouterForRoutes<Routes>> => createLink(realClock, `v1/${routes}`, options);

/** The options of every client. A token is sent as a bearer token, an API key as `x-api-key`. */
export type LinkOptions = ClientOptions | SettingsOptions;

/** Creates the link with a clock to the routes below a mount, such as `v1/me`. @param aim builds a call's request */
export function createLink<Router extends AnyRouter>(
  clock: Clock,
  mount: string,
  options: LinkOptions,
  aim: Aim = aimAtProcedure,
): TRPCLink<Router> {
  const connect = createCaller(clock, mount, options, aim);
  return () => {
    const call = connect();
    return ({ op }) =>
      observable((observer) => {
        const gone = new AbortController();
        const signal = op.signal ? AbortSignal.any([op.signal, gone.signal]) : gone.signal;
        call(op, signal).then(
          (data) => {
            observer.next({ result: { type: "data", data } });
            observer.complete();
          },
          (error) => observer.error(error),
        );
        return () => gone.abort();
      });
  };
}

/** Makes one call. @throws MinutesError */
type Caller = (op: Operation, signal: AbortSignal) => Promise<unknown>;

/** Checks the options, and returns a function that creates a caller with a queue for the quota of its own. */
export function createCaller(clock: Clock, mount: string, options: LinkOptions, aim: Aim): () => Caller {
  const url = toServiceUrl(options.baseUrl, mount);
  return () => {
    const quota = createQuota(clock, (milliseconds) =>
      options.onWait?.({ reason: "rate_limit", milliseconds }),
    );
    return (op, signal) =>
      call({ ...DEFAULTS, ...withoutUndefined(options), clock, quota, url, signal, aim }, op);
  };
}

/** Removes undefined options, so the defaults apply. */
const withoutUndefined = (options: LinkOptions): Defined<LinkOptions> =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as never;

type Aim = (op: Operation) => Target;
/** Options that are absent rather than undefined. */
type Defined<Options> = Options extends unknown
  ? { [Name in keyof Options]: Exclude<Options[Name], undefined> }
  : never;
type CallSettings = Defined<LinkOptions> &
  typeof DEFAULTS & { clock: Clock; quota: Quota; url: string; signal: AbortSignal; aim: Aim };

/** Makes one call, with the retries it needs and the options allow. */
async function call(all: CallSettings, op: Operation): Promise<unknown> {
  const { signal } = all;
  let failed = 0;
  /** Said by whatever ends the call once the answer of an attempt is lost. */
  let ifLost = "";
  try {
    const request = await toRequest(all, op);
    const deadline = all.clock.now() + all.patience;
    const hasKey = IDEMPOTENCY_KEY in request.headers;
    const mayRepeat = all.retries > 0 && (op.type === "query" || hasKey || all.retryWrites === true);
    for (;;) {
      const { payload, failure, isLost } = await attempt(all, request, deadline);
      if (!failure) return payload;
      if (isLost && op.type !== "query") ifLost = describeLost(request.headers[IDEMPOTENCY_KEY]);
      // Nothing ran, so writes are repeated as well. The quota queues the call until it resets.
      if (all.retries > 0 && isOverQuota(failure)) continue;
      const passes = isTransient(failure) || (hasKey && isRunning(failure));
      if (!mayRepeat || !passes || ++failed > all.retries) throw failure;
      const milliseconds = computeDelay(failed, failure, all.clock);
      all.onWait?.({ reason: "retry", milliseconds });
      await all.clock.sleep(milliseconds, signal);
    }
  } catch (error) {
    const failure =
      !(error instanceof MinutesError) && signal.aborted ? toAbortedError(signal.reason) : error;
    if (ifLost === "" || !(failure instanceof MinutesError)) throw failure;
    throw new MinutesError({ ...(failure as Failure), message: failure.message + ifLost }, failure.cause);
  }
}

/** Says that a write may have succeeded, and how to retry it. */
const describeLost = (key: string | undefined): string =>
  ` The write may have succeeded: ${key ? `it is safe to retry with idempotencyKey ${key}` : "check before you retry"}.`;

/** Returns true for failures worth retrying. */
export const isTransient = ({ code }: MinutesError): boolean =>
  ["rate_limited", "unavailable", "network", "timeout"].includes(code);

/** Returns true if the quota refused the call before it ran. Other limits leave some of the quota. */
const isOverQuota = ({ status, rateLimit }: MinutesError): boolean =>
  status === 429 && rateLimit?.remaining === 0;

/** Returns true if an earlier attempt of the same create is still running. */
const isRunning = ({ code, retryAfter }: MinutesError): boolean => code === "conflict" && retryAfter !== null;

/** Returns the delay before a retry in ms: at least what the service requested, plus full jitter. */
function computeDelay(failed: number, { retryAfter }: MinutesError, clock: Clock): number {
  const most = Math.min(LONGEST_DELAY, FIRST_DELAY * 2 ** (failed - 1));
  return (retryAfter ?? 0) * 1000 + Math.ceil(clock.random() * most);
}

/** Sends a request once, when the quota allows it. @param deadline of the wait for the quota */
async function attempt(all: CallSettings, request: Request, deadline: number): Promise<Outcome> {
  const { quota, signal, clock, timeout, fetch: own } = all;
  const fetch = own ?? ((url, init) => globalThis.fetch(url, init));
  const sendObserved = async (): Promise<Outcome> => {
    const { method, url } = request;
    all.onRequest?.({ method, url });
    const began = clock.now();
    const outcome = await send(request, { fetch, timeout, signal, clock });
    all.onResponse?.({
      method,
      url,
      status: outcome.answer?.status ?? null,
      requestId: outcome.answer?.headers.get("x-request-id") ?? null,
      milliseconds: clock.now() - began,
    });
    return outcome;
  };
  if (all.retries === 0) return sendObserved();
  if (!(await quota.enter(deadline, signal))) {
    const { rateLimit, retryAfter } = quota.describe() ?? { rateLimit: null, retryAfter: null };
    const message = `The rate limit resets in ${retryAfter ?? "some"} s, after this call's patience of ${all.patience} ms.`;
    throw new MinutesError({ message, code: "rate_limited", status: 429, rateLimit, retryAfter });
  }
  let outcome: Outcome = { quota: null };
  try {
    outcome = await sendObserved();
  } finally {
    quota.leave(outcome.quota);
  }
  return outcome;
}

const resolve = async <Value>(provided: Provided<Value>): Promise<Value> =>
  typeof provided === "function" ? (provided as () => Value | Promise<Value>)() : provided;

const IDEMPOTENCY_KEY = "idempotency-key";

/** Returns the key given in the call's context, or a new one. All attempts of a call have the same. */
const readKey = ({ context }: Operation): string =>
  typeof context.idempotencyKey === "string" ? context.idempotencyKey : crypto.randomUUID();

/** Builds the HTTP request of an operation. */
async function toRequest(
  { url, headers = {}, signal, aim, ...credential }: CallSettings,
  op: Operation,
): Promise<Request> {
  signal.throwIfAborted();
  const { path, runsOnce, ...target } = aim(op);
  const sendsJson = target.method === "POST" || target.method === "PATCH";
  return {
    ...target,
    url: `${url}${path}`,
    headers: {
      ...(await resolve(headers)),
      ...(sendsJson ? { "content-type": "application/json" } : {}),
      ...(runsOnce ? { [IDEMPOTENCY_KEY]: readKey(op) } : {}),
      ...("token" in credential
        ? { authorization: `Bearer ${toSendable(await resolve(credential.token), toUnsentError)}` }
        : { "x-api-key": toSendable(await resolve(credential.apiKey), toUnsentError) }),
    },
  };
}
