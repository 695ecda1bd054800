import { createHash } from "node:crypto";
import { createServer } from "node:http";
import { json } from "node:stream/consumers";
import { parseArgs } from "node:util";
import { loadEncoder } from "@minutes/encoder";

/**
 * `pnpm bench:search:model --directory <model> [--file onnx/model.onnx] [--port 8090]`, or `--random`
 *
 * Serves a BERT model with rows of 384 numbers, such as all-MiniLM-L6-v2 or gte-small, as an OpenAI-compatible
 * endpoint on the loopback interface, for `pnpm bench:search --mode endpoint`. `--random` returns a random vector for each
 * text, always the same one.
 */
const { values: options } = parseArgs({
  options: {
    directory: { type: "string" },
    file: { type: "string", default: "onnx/model.onnx" },
    port: { type: "string", default: "8090" },
    random: { type: "boolean", default: false },
  },
});
const DIMENSIONS = 384;

/** Makes numbers between -1 and 1 that depend on the text alone. */
function hashToVector(text: string): number[] {
  const bytes = createHash("shake256", { outputLength: DIMENSIONS * 4 })
    .update(text)
    .digest();
  return Array.from({ length: DIMENSIONS }, (_, at) => bytes.readInt32LE(at * 4) / 2 ** 31);
}

if (!options.random && !options.directory) {
  console.error(
    "pnpm bench:search:model --directory <model> [--file onnx/model.onnx] [--port 8090], or --random",
  );
  process.exit(2);
}
const encode = options.random
  ? (texts: readonly string[]) => texts.map(hashToVector)
  : loadEncoder(options.directory ?? "", { file: options.file });

createServer(async (request, response) => {
  const { input } = (await json(request)) as { input: string[] };
  const data = input.map((text, index) => ({ index, embedding: encode([text])[0] }));
  response.setHeader("content-type", "application/json").end(JSON.stringify({ data }));
}).listen(Number(options.port), "127.0.0.1", () =>
  console.log(`EMBEDDINGS_URL=http://127.0.0.1:${options.port}`),
);
