import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { measureScale } from "@minutes/search";
import { expect, test } from "vitest";
import { temporaryDir } from "../testing/process.js";
import { createBuiltinModel } from "./builtin-model.js";

const never = new AbortController().signal;
const dot = (left: readonly number[] = [], right: readonly number[] = []) =>
  left.reduce((sum, value, at) => sum + value * (right[at] ?? 0), 0);

/** Writes a test worker, loaded as quickly as a file. */
async function workerFile(code: string): Promise<URL> {
  const file = join(await temporaryDir(), "worker.mjs");
  await writeFile(file, `import { parentPort } from "node:worker_threads";\n${code}`);
  return pathToFileURL(file);
}

test("the built-in model puts paraphrases near each other", async () => {
  const model = createBuiltinModel();
  const [asked, near, far] = await model.embed(
    ["how much money there was", "We have to stay within the budget.", "Wombats dig at night."],
    "query",
    never,
  );
  expect(asked).toHaveLength(384);
  expect(dot(asked, near)).toBeGreaterThan(dot(asked, far));
  // An empty text must not end the worker.
  expect(await model.embed([""], "chunk", never)).toHaveLength(1);
});

test("a damaged model file is named as the reason", async () => {
  const directory = await temporaryDir();
  await mkdir(join(directory, "onnx"));
  await writeFile(join(directory, "onnx", "model_quantized.onnx"), "half a model");
  const model = createBuiltinModel({ directory });
  await expect(model.embed(["budget"], "query", never)).rejects.toThrow(
    "the built-in model failed (its files are missing or damaged: install Minutes again)",
  );
});

test("a query is encoded before waiting chunks", async () => {
  const order: string[] = [];
  const model = createBuiltinModel({
    worker: await workerFile(`
      const queue = [];
      parentPort.on("message", (request) => {
        queue.splice(request.urgent ? 0 : queue.length, 0, request);
        setTimeout(() => {
          const { id, texts } = queue.shift();
          parentPort.postMessage({ id, vectors: texts.map(() => [1]) });
        }, 100);
      });`),
  });
  const note = (name: string) => () => void order.push(name);
  const chunks = model.embed(Array(12).fill("chunk"), "chunk", never).then(note("chunks"));
  await model.embed(["query"], "query", never).then(note("query"));
  await chunks;
  expect(order).toEqual(["query", "chunks"]);
});

test("when a worker ends, waiting calls fail and the next call starts another", async () => {
  const model = createBuiltinModel({
    worker: await workerFile(`
      parentPort.on("message", ({ id, texts }) => {
        if (texts[0] === "end") process.exit(1);
        parentPort.postMessage({ id, vectors: [[1]] });
      });`),
  });
  await expect(model.embed(["end"], "query", never)).rejects.toThrow("the built-in model ended");
  expect(await model.embed(["again"], "query", never)).toEqual([[1]]);
});

test("an idle model is unloaded, and reloaded when needed", async () => {
  const model = createBuiltinModel({
    idle: 2_000,
    worker: await workerFile(`
      let calls = 0;
      parentPort.on("message", ({ id }) => parentPort.postMessage({ id, vectors: [[++calls]] }));`),
  });
  expect(await model.embed(["a"], "query", never)).toEqual([[1]]);
  expect(await model.embed(["a"], "query", never)).toEqual([[2]]);
  await expect
    .poll(async () => {
      await new Promise((done) => setTimeout(done, 2_500));
      return model.embed(["a"], "query", never);
    })
    .toEqual([[1]]);
});

test("its scale equals the measured one", async () => {
  const model = createBuiltinModel();
  const measured = await measureScale((texts, kind) => model.embed(texts, kind, never));
  expect(model.scale?.unrelated).toBeCloseTo(measured.unrelated, 2);
  expect(model.scale?.weight).toBeCloseTo(measured.weight, 1);
  expect(model.scale?.limit).toBeCloseTo(measured.limit, 2);
});
