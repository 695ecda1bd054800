import { hash, randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";
import { toBase62 } from "../lib/ids.js";

const SECRET_LENGTH = 43; // 32 bytes
const CHECKSUM_LENGTH = 6; // CRC32

function computeChecksum(text: string): string {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(crc32(text));
  return toBase62(bytes, CHECKSUM_LENGTH);
}

/** Prefixes of the credentials that Minutes issues. */
export type TokenPrefix =
  | "jk_"
  | "ik_"
  | "sk_"
  | "ss_"
  | "mst_"
  | "mbr_"
  | "mlk_"
  | "miv_"
  | "mun_"
  | "mpl_"
  | "mat_"
  | "mrt_"
  | "mac_";

/** Generates a credential: prefix, 32 random bytes and a checksum, in base 62. */
export function generateToken(prefix: TokenPrefix): string {
  const body = prefix + toBase62(randomBytes(32), SECRET_LENGTH);
  return body + computeChecksum(body);
}

/** Checks the prefix and checksum of a credential without querying the database. */
export function isToken(prefix: TokenPrefix, text: string): boolean {
  if (text.length !== prefix.length + SECRET_LENGTH + CHECKSUM_LENGTH || !text.startsWith(prefix))
    return false;
  const body = text.slice(0, -CHECKSUM_LENGTH);
  return computeChecksum(body) === text.slice(-CHECKSUM_LENGTH);
}

/** Hashes a credential for storage. */
export const hashToken = (token: string): Uint8Array => hash("sha256", token, "buffer");

/** Returns the displayed part of a credential. */
export const maskToken = (token: string) => ({ prefix: token.slice(0, 7), lastFour: token.slice(-4) });
