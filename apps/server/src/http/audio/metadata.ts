import { isUtf8 } from "node:buffer";
import type { IncomingHttpHeaders } from "node:http";
import { Email, LIMITS, MESSAGES } from "@minutes/contract";
import { ApiError } from "@minutes/core";

/** What a client says about its file. */
interface Metadata {
  readonly name: string;
  readonly modifiedAt: string;
  readonly ownerEmail: string | undefined;
  readonly keepDays: number | undefined;
}

/**
 * Reads `Upload-Metadata`: `filename`, `lastModified` in ms or ISO 8601, `ownerEmail` and `keepDays`. Others are ignored, as clients
 * send more.
 * @throws ApiError 400
 */
export function readMetadata({ "upload-metadata": header = "" }: IncomingHttpHeaders): Metadata {
  const values = new Map<string, string>();
  for (const pair of String(header).split(",")) {
    const [key = "", encoded = ""] = pair.trim().split(" ");
    const bytes = Buffer.from(encoded, "base64");
    if (!isUtf8(bytes)) throw new ApiError("BAD_REQUEST", MESSAGES.uploadMetadata);
    values.set(key, bytes.toString("utf8"));
  }
  const email = values.get("ownerEmail");
  const owner = email === undefined ? undefined : Email.safeParse(email);
  if (owner?.success === false) throw new ApiError("BAD_REQUEST", MESSAGES.uploadOwner);
  return {
    name: readName(values.get("filename")),
    modifiedAt: readTime(values.get("lastModified")),
    ownerEmail: owner?.data,
    keepDays: readKeepDays(values.get("keepDays")),
  };
}

/** Writes `Upload-Metadata` of values that are not null. */
export const writeMetadata = (values: Readonly<Record<string, string | number | null>>): string =>
  Object.entries(values)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name} ${Buffer.from(String(value)).toString("base64")}`)
    .join(",");

/** Returns the file's name without folders. */
function readName(given = ""): string {
  const name =
    given
      .replace(/^.*[/\\]/s, "")
      .replace(/\p{Cc}/gu, " ")
      .trim() || "Recording";
  if (name.length > LIMITS.fileNameMax) throw new ApiError("BAD_REQUEST", MESSAGES.uploadName);
  return name;
}

function readKeepDays(given: string | undefined): number | undefined {
  if (given === undefined) return undefined;
  if (!/^\d{1,9}$/.test(given)) throw new ApiError("BAD_REQUEST", MESSAGES.uploadKeepDays);
  return Number(given);
}

function readTime(given: string | undefined): string {
  if (given === undefined) return new Date().toISOString();
  const time = new Date(/^\d+$/.test(given) ? Number(given) : given);
  const year = time.getUTCFullYear();
  if (!(year >= 1970 && year <= 9999)) throw new ApiError("BAD_REQUEST", MESSAGES.uploadTime);
  return time.toISOString();
}
