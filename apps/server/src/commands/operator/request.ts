import type { IncomingMessage } from "node:http";
import { resolve } from "node:path";
import { text } from "node:stream/consumers";
import type { ActingAs } from "@minutes/core";
import { ApiError } from "@minutes/core/api-error";
import { requestLockHolder } from "@minutes/db/data-dir-lock";
import type { Config } from "../../config/config.js";
import { getServerUrl } from "../../config/public-url.js";

/** A procedure call by tRPC's client. */
export interface OperatorCall {
  /** Such as `tags.list`. */
  readonly path: string;
  readonly type: "query" | "mutation" | "subscription";
  readonly input: unknown;
  /** Whom the operator acts as. */
  readonly as?: ActingAs | undefined;
}

/** Header of a call with the user or workspace that the operator acts as. */
const AS_HEADER = "x-minutes-as";

/** Reads whom the operator acts as. */
export function readActingAs({ headers }: IncomingMessage): ActingAs {
  const sent = headers[AS_HEADER];
  return typeof sent === "string" ? JSON.parse(decodeURIComponent(sent)) : {};
}

/** The process that holds the data directory is starting or stopping. The same call can succeed soon. */
export class NotServingError extends Error {
  override name = "NotServingError";
}

const CODES: Readonly<Record<number, ApiError["code"]>> = {
  400: "BAD_REQUEST",
  403: "FORBIDDEN",
  404: "NOT_FOUND",
  409: "CONFLICT",
  412: "PRECONDITION_FAILED",
  503: "SERVICE_UNAVAILABLE",
};

/**
 * Calls the process that holds the data directory, over the socket of its lock. Null: no process holds it.
 * @throws ApiError for a refusal, NotServingError
 */
export async function requestOperator(
  dataDir: string,
  call: OperatorCall,
): Promise<{ data: unknown } | null> {
  const input = JSON.stringify({ json: call.input ?? {} }, writeNumber);
  const headers: Record<string, string> = call.as
    ? { [AS_HEADER]: encodeURIComponent(JSON.stringify(call.as)) }
    : {};
  const [options, body] =
    call.type === "query"
      ? [{ method: "GET", path: `/${call.path}?input=${encodeURIComponent(input)}`, headers }, ""]
      : [{ method: "POST", path: `/${call.path}`, headers: { ...headers, ...toJsonHeaders(input) } }, input];
  const response = await requestLockHolder(dataDir, options, body).catch((error: NodeJS.ErrnoException) => {
    // The process ended between the socket lookup and the request. With later errors, the call may have been executed.
    if (error.code === "ECONNREFUSED" || error.code === "ENOENT") throw new NotServingError();
    throw new ApiError(
      "INTERNAL_SERVER_ERROR",
      "The server stopped in the meantime; the command may have been executed.",
    );
  });
  if (response === null) return null;
  const answer = await text(response);
  const status = response.statusCode ?? 0;
  if (status === 503 && answer === "") throw new NotServingError();
  const { result, error } = JSON.parse(answer);
  // The fault is in the server's log, such as a full disk.
  const message = status >= 500 ? `${error}. The server's log says why.` : error;
  if (status !== 200) throw new ApiError(CODES[status] ?? "INTERNAL_SERVER_ERROR", message);
  return { data: result.data.json };
}

/** JSON turns NaN and Infinity into null, which is a valid value here. As strings, the server rejects them. */
const writeNumber = (_name: string, value: unknown): unknown =>
  typeof value === "number" && !Number.isFinite(value) ? String(value) : value;

const toJsonHeaders = (body: string) => ({
  "Content-Type": "application/json",
  "Content-Length": Buffer.byteLength(body),
});

type Settings = Pick<Config, "DATABASE_URL" | "DATA_DIR" | "HOST" | "PORT">;

/**
 * Returns the URL of the server that has the data directory open, which can listen on another port than `PORT`. Null if
 * none does, or if it is starting or stopping; always null on PostgreSQL, which several servers can share.
 */
export async function findRunningServer({ DATABASE_URL, DATA_DIR }: Settings): Promise<string | null> {
  if (DATABASE_URL !== undefined) return null;
  const call = { path: "status.address", type: "query", input: {} } as const;
  const answer = await requestOperator(resolve(DATA_DIR), call).catch(() => null);
  return (answer?.data as { url: string | null } | undefined)?.url ?? null;
}

/** Returns the URL of the running server; without one, the URL that `HOST` and `PORT` give the next one. */
export const findServerUrl = async (config: Settings): Promise<string> =>
  (await findRunningServer(config)) ?? getServerUrl(config);
