import * as fc from "fast-check";

const FIRST_SURROGATE = 0xd800;
const SURROGATES = 0x800;

/**
 * A unit of `fc.string`: ASCII, any other code point, or a character of several. fast-check's own units build a table
 * of all code points first, which takes seconds.
 */
export const anyCharacter = fc.oneof(
  fc.integer({ min: 0, max: 0x7f }).map((point) => String.fromCodePoint(point)),
  fc
    .integer({ min: 0x80, max: 0x10ffff - SURROGATES })
    .map((point) => String.fromCodePoint(point < FIRST_SURROGATE ? point : point + SURROGATES)),
  fc.constantFrom("e\u0301", "\u1100\u1161\u11a8", "🇵🇹", "👩‍👧", "👍🏽", "\r\n"),
);
