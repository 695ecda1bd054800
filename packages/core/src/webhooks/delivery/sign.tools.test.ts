import { needs } from "@minutes/testing";
import { describe, expect, test } from "vitest";
import { countVerified } from "./testing/signatures.js";

describe("100 payloads full of Unicode verify from the raw bytes", () => {
  test("in Python", needs("python3"), async () => {
    expect(await countVerified(100, "python3")).toBe(100);
  });

  test("with openssl", needs("bash", "openssl"), async () => {
    expect(await countVerified(100, "openssl")).toBe(100);
  });
});
