import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { generateToken, hashToken, isToken, maskToken } from "./token.js";

describe("credentials", () => {
  test("are a prefix, 32 random bytes in base 62 and a checksum", () => {
    for (let at = 0; at < 200; at++) {
      const token = generateToken("jk_");
      expect(token).toMatch(/^jk_[0-9A-Za-z]{49}$/);
      expect(isToken("jk_", token)).toBe(true);
      expect(isToken("ik_", token)).toBe(false);
    }
  });

  test("never repeat", () => {
    const tokens = Array.from({ length: 1_000 }, () => generateToken("jk_"));
    expect(new Set(tokens).size).toBe(1_000);
  });

  test("with any one character changed are none", () => {
    const token = generateToken("jk_");
    for (let at = 0; at < token.length; at++) {
      const other = token[at] === "x" ? "y" : "x";
      expect(isToken("jk_", token.slice(0, at) + other + token.slice(at + 1))).toBe(false);
    }
  });

  test("are distinguished from any other text", () => {
    fc.assert(fc.property(fc.string(), (text) => !isToken("jk_", text)));
    fc.assert(fc.property(fc.stringMatching(/^jk_[0-9A-Za-z]{49}$/), (text) => !isToken("jk_", text)));
  });

  test("are stored as a SHA-256, and displayed as seven and four characters", () => {
    const token = generateToken("jk_");
    expect(hashToken(token)).toHaveLength(32);
    expect(hashToken(token)).toEqual(hashToken(token));
    expect(maskToken(token)).toEqual({ prefix: token.slice(0, 7), lastFour: token.slice(-4) });
  });
});
