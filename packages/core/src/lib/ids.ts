import { randomBytes } from "node:crypto";

const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** Encodes `bytes` as a big-endian number in base 62, padded to `length` digits. */
export function toBase62(bytes: Uint8Array, length: number): string {
  let value = BigInt(`0x${Buffer.from(bytes).toString("hex")}`);
  let text = "";
  for (; value > 0n; value /= 62n) text = DIGITS[Number(value % 62n)] + text;
  return text.padStart(length, "0");
}

/** The kind of object; the prefix makes a stray id recognizable. */
type IdPrefix =
  | "aud"
  | "usr"
  | "ws"
  | "mtg"
  | "tsk"
  | "tag"
  | "evt"
  | "key"
  | "whk"
  | "ses"
  | "inv"
  | "trm"
  | "pk"
  | "per"
  | "spk"
  | "acc"
  | "ret"
  | "app"
  | "trn"
  | "lnk"
  | "ins"
  | "sum"
  | "ers";

/** Generates a random identifier, such as `mtg_4fVq…`: 128 bits, unguessable. */
export const generateId = (prefix: IdPrefix): string => `${prefix}_${toBase62(randomBytes(16), 22)}`;
