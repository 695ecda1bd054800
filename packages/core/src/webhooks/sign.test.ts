import { expect, test } from "vitest";
import { signature } from "./sign.js";
import { verifyEverywhere } from "./testing/signatures.js";

test("100 payloads full of Unicode verify from the raw bytes in Node.js, Python and openssl", async () => {
  expect(await verifyEverywhere(100)).toEqual({ node: 100, python: 100, openssl: 100 });
});

test("an attempt an hour later has another time and another signature", () => {
  expect(signature("ss_x", "{}", 1_795_261_119)).not.toBe(signature("ss_x", "{}", 1_795_264_719));
  expect(signature("ss_x", "{}", 1_795_261_119)).toMatch(/^t=1795261119,v0=[0-9a-f]{64}$/);
});
