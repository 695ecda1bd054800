import { needs } from "@minutes/testing";
import { describe, expect, test } from "vitest";
import { countVerified } from "./testing/signatures.js";

const COUNT = 10_000;

describe("10,000 payloads verify from the raw bytes", { timeout: 1_200_000 }, () => {
  test("in Node.js", async () => {
    expect(await countVerified(COUNT, "node")).toBe(COUNT);
  });

  test("in Python", needs("python3"), async () => {
    expect(await countVerified(COUNT, "python3")).toBe(COUNT);
  });

  test("with openssl", needs("bash", "openssl"), async () => {
    expect(await countVerified(COUNT, "openssl")).toBe(COUNT);
  });
});
