// @ts-check
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Bytes of a number of the weights. */
const NUMBER = 4;

/**
 * Calls `use` with every weight of a TensorFlow.js model, one after another, so that they are never all in memory as they are in
 * the files. The array is used again for the next weight.
 * @param {string} directory
 * @param {(name: string, values: Float32Array, shape: readonly number[]) => void} use
 */
export function readWeights(directory, use) {
  /** @type {{ paths: string[], weights: { name: string, shape: number[] }[] }[]} */
  const manifest = JSON.parse(readFileSync(join(directory, "model.json"), "utf8")).weightsManifest;
  const sizes = manifest
    .flatMap(({ weights }) => weights)
    .map(({ name, shape }) => ({ name, shape, length: shape.reduce((product, size) => product * size, 1) }));
  const buffer = new ArrayBuffer(NUMBER * Math.max(...sizes.map(({ length }) => length)));
  const fill = createReader(
    directory,
    manifest.flatMap(({ paths }) => paths),
  );
  for (const { name, shape, length } of sizes) {
    fill(new Uint8Array(buffer, 0, NUMBER * length));
    use(name, new Float32Array(buffer, 0, length), shape);
  }
}

/**
 * Returns a function that fills an array with the next bytes of the files, as if they were one.
 * @param {string} directory
 * @param {readonly string[]} files
 */
function createReader(directory, files) {
  const rest = [...files];
  let bytes = new Uint8Array(0);
  return (/** @type {Uint8Array} */ target) => {
    for (let at = 0; at < target.length; ) {
      if (bytes.length === 0) bytes = readFileSync(join(directory, rest.shift() ?? ""));
      const part = bytes.subarray(0, target.length - at);
      target.set(part, at);
      at += part.length;
      bytes = bytes.subarray(part.length);
    }
  };
}
