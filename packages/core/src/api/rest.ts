import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { yieldToEventLoop } from "@minutes/db";
import { isInPieces, splitText } from "./long-answers.js";
import { splitParameters, type Target } from "./request.js";
import type { FoundProcedure } from "./resources.js";

/** Headers of a REST response that describe its payload. */
interface DescribedPayload {
  readonly headers: Readonly<Record<string, string>>;
  /** True if the caller has this payload already and is sent 304 without a body. */
  readonly isNotModified: boolean;
}

/**
 * Describes a payload: `Link` to the next page of a list, or `ETag` of a single object.
 * @param mount path of the route set, such as `/rest/v1/me`
 */
export async function describePayload(
  { method, headers: sent }: IncomingMessage,
  mount: string,
  target: Target,
  { parameters }: FoundProcedure,
  payload: unknown,
  body: string,
): Promise<DescribedPayload> {
  const { nextCursor, hasMore } = payload as { nextCursor?: string | null; hasMore?: boolean };
  // The change feed always has a cursor, for later.
  if (nextCursor && hasMore !== false)
    return {
      headers: { Link: `<${toNextPage(mount, target, nextCursor)}>; rel="next"` },
      isNotModified: false,
    };
  const isRead = method === "GET" || method === "HEAD";
  const isSingle = isRead && parameters !== undefined && nextCursor === undefined;
  if (!isSingle) return { headers: {}, isNotModified: false };
  const etag = `"${await digest(body)}"`;
  return { headers: { ETag: etag }, isNotModified: matches(sent["if-none-match"], etag) };
}

/** Returns the beginning of a text's digest. */
async function digest(text: string): Promise<string> {
  const hash = createHash("sha256");
  if (!isInPieces(text)) hash.update(text);
  else
    for (const piece of splitText(text)) {
      hash.update(piece);
      await yieldToEventLoop();
    }
  return hash.digest("base64url").slice(0, 22);
}

/** Returns the address of the next page, without an origin: a proxy may have changed it. */
function toNextPage(mount: string, target: Target, cursor: string): string {
  const query = [...splitParameters(target)].filter(([name, value]) => name !== "cursor" && value !== "");
  const pairs = [...query, ["cursor", cursor]].map((pair) => pair.map(encodeURIComponent).join("="));
  return `${mount}${target.path && "/"}${target.path}?${pairs.join("&")}`;
}

/** Returns true if `If-None-Match` names a tag. Weak tags count (RFC 9110, 13.1.2). */
const matches = (condition: string | undefined, etag: string): boolean =>
  (condition ?? "")
    .split(",")
    .map((one) => one.trim().replace(/^W\//, ""))
    .some((one) => one === "*" || one === etag);
