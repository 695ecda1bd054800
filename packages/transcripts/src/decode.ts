/** Encodings in which transcript files are written. */
export type Encoding = "UTF-8" | "UTF-16LE" | "UTF-16BE" | "Windows-1252";

/** A file's text, without byte order mark. */
export interface DecodedText {
  readonly text: string;
  readonly encoding: Encoding;
  /** True if the encoding was guessed: the file has no byte order mark and is not valid UTF-8. */
  readonly assumed: boolean;
}

const BYTE_ORDER_MARKS: readonly (readonly [Encoding, readonly number[]])[] = [
  ["UTF-8", [0xef, 0xbb, 0xbf]],
  ["UTF-16LE", [0xff, 0xfe]],
  ["UTF-16BE", [0xfe, 0xff]],
];

/** Number of bytes examined for zero bytes. */
const SAMPLE = 4_096;

/**
 * Decodes a text file: by its byte order mark, as UTF-16 if every second byte is often zero, as UTF-8 if it is valid or
 * nearly so, otherwise as Windows-1252.
 */
export function decodeText(bytes: Uint8Array): DecodedText {
  for (const [encoding, mark] of BYTE_ORDER_MARKS) {
    if (mark.every((byte, at) => bytes[at] === byte))
      return { text: decode(bytes.subarray(mark.length), encoding), encoding, assumed: false };
  }
  const wide = detectUtf16(bytes.subarray(0, SAMPLE));
  if (wide) return { text: decode(bytes, wide), encoding: wide, assumed: true };
  const text = decode(bytes, "UTF-8");
  const broken = countMatches(text, /\uFFFD/g);
  if (broken === 0) return { text, encoding: "UTF-8", assumed: false };
  // A damaged UTF-8 file still has many valid characters; in Windows-1252 nearly none would be.
  if (countMatches(text, /[^\p{ASCII}\uFFFD]/gu) >= 10 * broken)
    return { text, encoding: "UTF-8", assumed: true };
  return { text: decode(bytes, "Windows-1252"), encoding: "Windows-1252", assumed: true };
}

/** Counts the matches of a global pattern. */
function countMatches(text: string, pattern: RegExp): number {
  let count = 0;
  pattern.lastIndex = 0;
  while (pattern.test(text)) count++;
  return count;
}

function detectUtf16(bytes: Uint8Array): "UTF-16LE" | "UTF-16BE" | null {
  let [even, odd] = [0, 0];
  bytes.forEach((byte, at) => {
    if (byte !== 0) return;
    if (at % 2 === 0) even++;
    else odd++;
  });
  // Spaces, digits and line ends have a zero byte in every script.
  const enough = bytes.length / 20;
  if (odd > enough && odd > 10 * even) return "UTF-16LE";
  return even > enough && even > 10 * odd ? "UTF-16BE" : null;
}

/** Windows-1252 for the bytes 0x80 to 0x9F, in which it differs from Latin-1. */
const WINDOWS =
  "\u20AC\u0081\u201A\u0192\u201E\u2026\u2020\u2021\u02C6\u2030\u0160\u2039\u0152\u008D\u017D\u008F" +
  "\u0090\u2018\u2019\u201C\u201D\u2022\u2013\u2014\u02DC\u2122\u0161\u203A\u0153\u009D\u017E\u0178";

function decode(bytes: Uint8Array, encoding: Encoding): string {
  if (encoding !== "Windows-1252")
    return new TextDecoder(encoding.toLowerCase(), { ignoreBOM: false }).decode(bytes);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    .toString("latin1")
    .replace(/[\u0080-\u009F]/g, (character) => WINDOWS.charAt(character.charCodeAt(0) - 0x80));
}
