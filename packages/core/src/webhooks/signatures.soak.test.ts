import { expect, test } from "vitest";
import { verifyEverywhere } from "./testing/signatures.js";

test("10,000 payloads verify from the raw bytes in Node.js, Python and openssl", {
  timeout: 1_200_000,
}, async () => {
  expect(await verifyEverywhere(10_000)).toEqual({ node: 10_000, python: 10_000, openssl: 10_000 });
});
