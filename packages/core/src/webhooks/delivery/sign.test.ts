import { expect, test } from "vitest";
import { signBody } from "./sign.js";
import { countVerified } from "./testing/signatures.js";

test("100 payloads full of Unicode verify from the raw bytes in Node.js", async () => {
  expect(await countVerified(100, "node")).toBe(100);
});

test("a retry an hour later has another timestamp and signature", () => {
  expect(signBody("ss_x", "{}", 1_795_261_119)).not.toBe(signBody("ss_x", "{}", 1_795_264_719));
  expect(signBody("ss_x", "{}", 1_795_261_119)).toMatch(/^t=1795261119,v0=[0-9a-f]{64}$/);
});
