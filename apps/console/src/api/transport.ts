import { httpLink, TRPCClientError, type TRPCLink } from "@trpc/client";
import type { AnyTRPCRouter } from "@trpc/server";
import { setReachable } from "./connection";
import { getUserHeader, setOtherAccount } from "./shown-user";
import { askToSignIn } from "./sign-in-again";

/** Removes the direction that endless queries add: lists have one direction, and the API refuses unknown fields. */
function withoutDirection(input: unknown): unknown {
  const { direction: _, ...fields } = (input ?? {}) as { direction?: unknown };
  return fields;
}

/** Puts values into the API's envelope, `{"json": …}`, and takes them out of it. */
const envelope = {
  serialize: (value: unknown) => ({ json: withoutDirection(value) }),
  deserialize: (value: { json: unknown }) => value.json,
};

/**
 * Returns the API's message in a response body, `{"error": "<message>"}`, or one based on the status. For an exhausted
 * quota it is how long to wait, because the API's message names a header.
 * @param retryAfter seconds; 0 if unknown
 */
export function readErrorMessage(body: unknown, status: number, retryAfter: number): string {
  const sentence = (body as { error?: unknown } | null)?.error;
  if (status === 429 && /X-RateLimit-Reset/.test(String(sentence)))
    return `Too many requests. Try again in ${retryAfter} s.`;
  if (status === 413 && typeof sentence !== "string")
    return "A proxy in front of the server refuses files of this size. Your admin can raise its limit.";
  return typeof sentence === "string" ? sentence : `The server answered with status ${status}.`;
}

/**
 * Fetches with the session cookie. Converts the API's errors to tRPC's shape, so a failed call has the API's
 * message, status and seconds to wait before a retry. A call that needs a recent sign-in is repeated after one.
 */
export async function fetchWithSession(
  url: RequestInfo | URL | string,
  init?: RequestInit,
  isFirst = true,
): Promise<Response> {
  // A write continues after the page is closed.
  const keepalive = init?.method === "POST";
  const response = await fetch(url, {
    ...init,
    headers: { ...(init?.headers as Record<string, string> | undefined), ...getUserHeader() },
    keepalive,
    credentials: "same-origin",
    redirect: "error",
  }).catch((error: unknown) => {
    if (!init?.signal?.aborted) setReachable(false);
    throw error;
  });
  setReachable(!response.headers.has("x-kept"));
  if (response.ok) return response;
  const retryAfter = Number(response.headers.get("retry-after") ?? 0);
  const message = readErrorMessage(await response.json().catch(() => null), response.status, retryAfter);
  const signIn = response.headers.get("x-sign-in");
  if (signIn === "other") setOtherAccount(true);
  const signInAgain = signIn === "again";
  if (signInAgain && isFirst && (await askToSignIn())) return fetchWithSession(url, init, false);
  const data = { httpStatus: response.status, retryAfter, signInAgain };
  return new Response(JSON.stringify({ error: { json: { message, code: -32603, data } } }), {
    status: response.status,
  });
}

/** Creates a link to one route set of the server that serves this page. */
export const sessionLink = <Router extends AnyTRPCRouter>(path: string): TRPCLink<Router> =>
  // The transformer's type depends on the router, which only the caller knows.
  httpLink({ url: path, transformer: envelope, fetch: fetchWithSession } as never) as TRPCLink<Router>;

const getNumber = (error: unknown, name: "httpStatus" | "retryAfter"): number | null => {
  const value = (error as { data?: Record<string, unknown> } | null)?.data?.[name];
  return typeof value === "number" ? value : null;
};

/** Returns the HTTP status of a failed call; null when the server was not reached. */
export const getStatus = (error: unknown): number | null => getNumber(error, "httpStatus");

/** Seconds to wait before retrying a refused call; 0 if unknown. */
export const getRetryAfter = (error: unknown): number => getNumber(error, "retryAfter") ?? 0;

/** Returns true for a call refused because it needs a recent sign-in. */
export const needsRecentSignIn = (error: unknown): boolean =>
  (error as { data?: { signInAgain?: unknown } } | null)?.data?.signInAgain === true;

/** A call that did not reach the server. */
export class NotReached extends Error {}

/** Creates an error whose message is shown, like one of the API: what the page or the browser refuses. */
export const createRefusal = (message: string): Error =>
  Object.assign(new Error(message), { data: { httpStatus: 400 } });

/** Returns the message to show for a failure: the API's, or what to do. */
export function getErrorMessage(error: unknown): string {
  if (error instanceof Error && getStatus(error) !== null) return error.message;
  const lost = error instanceof TRPCClientError || error instanceof NotReached;
  return lost
    ? "The server can't be reached. Try again when it is back."
    : "Something went wrong. Reload the page.";
}
