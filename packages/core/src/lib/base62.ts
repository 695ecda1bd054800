const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** Encodes `bytes` as a big-endian number in base 62, padded to `length` digits. */
export function toBase62(bytes: Uint8Array, length: number): string {
  let value = BigInt(`0x${Buffer.from(bytes).toString("hex")}`);
  let text = "";
  for (; value > 0n; value /= 62n) text = DIGITS[Number(value % 62n)] + text;
  return text.padStart(length, "0");
}
