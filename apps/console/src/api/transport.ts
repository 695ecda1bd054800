import { httpLink, TRPCClientError, type TRPCLink } from "@trpc/client";
import type { AnyTRPCRouter } from "@trpc/server";
import { noteReachable } from "./connection";

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

/** Returns the API's sentence in an answer's body, `{"error": "<sentence>"}`, or one about its status. */
export function readSentence(body: unknown, status: number): string {
  const sentence = (body as { error?: unknown } | null)?.error;
  return typeof sentence === "string" ? sentence : `The server answered with status ${status}.`;
}

/**
 * Fetches with the session's cookie. Turns the API's errors into tRPC's shape, so that a failed call carries the API's
 * own sentence and status, and after how many seconds it may be tried again.
 */
async function fetchWithSession(url: RequestInfo | URL | string, init?: RequestInit): Promise<Response> {
  const response = await fetch(url, { ...init, credentials: "same-origin", redirect: "error" }).catch(
    (error: unknown) => {
      if (!init?.signal?.aborted) noteReachable(false);
      throw error;
    },
  );
  noteReachable(true);
  if (response.ok) return response;
  const message = readSentence(await response.json().catch(() => null), response.status);
  const retryAfter = Number(response.headers.get("retry-after") ?? 0);
  const data = { httpStatus: response.status, retryAfter };
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

/** Seconds after which a refused call may be tried again; 0 when the server did not say. */
export const getRetryAfter = (error: unknown): number => getNumber(error, "retryAfter") ?? 0;

/** A call that did not reach the server. */
export class NotReached extends Error {}

/** Returns true when the browser could not load a page's script. */
const isMissingScript = (error: unknown): boolean =>
  error instanceof TypeError && /dynamically imported module|module script/i.test(error.message);

/** Returns the sentence to show for a failure: the API's own, or what to do. */
export function getSentence(error: unknown): string {
  if (error instanceof Error && getStatus(error) !== null) return error.message;
  const lost = error instanceof TRPCClientError || error instanceof NotReached || isMissingScript(error);
  return lost
    ? "The server can't be reached. Check the connection; this page tries again."
    : "This page has a fault. Load it again.";
}
