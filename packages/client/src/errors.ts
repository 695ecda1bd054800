import { TRPCClientError } from "@trpc/client";

/**
 * `fetch` for a tRPC link: the service answers errors as `{"error": "<message>"}`, which stock clients can't read;
 * this puts them into tRPC's own error shape, so that callers get a `TRPCClientError` with message and status.
 */
export const readableErrors: typeof fetch = async (input, init) => {
  const response = await fetch(input, init);
  if (response.ok) return response;
  const body: unknown = await response.json().catch(() => null);
  const said = typeof body === "object" && body !== null && "error" in body ? body.error : null;
  const message = typeof said === "string" ? said : `The service answered with status ${response.status}.`;
  const error = { json: { message, code: -32603, data: { httpStatus: response.status } } };
  return new Response(JSON.stringify({ error }), { status: response.status, headers: response.headers });
};

/** The HTTP status of an error that a client threw; null when the service was not reached. */
export function statusOf(error: unknown): number | null {
  if (!(error instanceof TRPCClientError)) return null;
  const status: unknown = error.data?.httpStatus;
  return typeof status === "number" ? status : null;
}
