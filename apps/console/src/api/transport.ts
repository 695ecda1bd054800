import { httpLink, type TRPCLink } from "@trpc/client";
import type { AnyTRPCRouter } from "@trpc/server";

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
 * Fetches with the session's cookie. Turns the API's errors, `{"error": "<sentence>"}`, into tRPC's shape, so that a
 * failed call carries the API's own sentence and status.
 */
async function fetchWithSession(url: RequestInfo | URL | string, init?: RequestInit): Promise<Response> {
  const response = await fetch(url, { ...init, credentials: "same-origin", redirect: "error" });
  if (response.ok) return response;
  const body: unknown = await response.json().catch(() => null);
  const sentence = (body as { error?: unknown } | null)?.error;
  const message =
    typeof sentence === "string" ? sentence : `The server answered with status ${response.status}.`;
  const error = { json: { message, code: -32603, data: { httpStatus: response.status } } };
  return new Response(JSON.stringify({ error }), { status: response.status });
}

/** A link to one route set of the server that serves this page. */
export const sessionLink = <Router extends AnyTRPCRouter>(path: string): TRPCLink<Router> =>
  // The transformer's type depends on the router, which only the caller knows.
  httpLink({ url: path, transformer: envelope, fetch: fetchWithSession } as never) as TRPCLink<Router>;

/** The HTTP status of a failed call; null when the server was not reached. */
export function getStatus(error: unknown): number | null {
  const status = (error as { data?: { httpStatus?: unknown } } | null)?.data?.httpStatus;
  return typeof status === "number" ? status : null;
}

/** The sentence to show for a failure. */
export function getSentence(error: unknown): string {
  if (getStatus(error) === null)
    return "The server can't be reached. Check the connection; this page tries again.";
  return error instanceof Error ? error.message : "Something went wrong.";
}
