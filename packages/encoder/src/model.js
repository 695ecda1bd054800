// @ts-check
import { Multiplier } from "./multiplier.js";
import { readOnnx } from "./onnx.js";

/** @typedef {import("./multiplier.js").Layer} Layer */
/** @typedef {import("./onnx.js").Values} Values */
/** @typedef {{ readonly scale: Float32Array, readonly bias: Float32Array }} Norm */
/**
 * A table of vectors; a number of it is `(value - zero) * scale`.
 * @typedef {{ readonly values: Values, readonly zero: number, readonly scale: number }} Table
 */
/**
 * @typedef {object} TransformerLayer
 * @property {{ readonly split: Layer, readonly output: Layer, readonly norm: Norm }} attention
 * @property {{ readonly inner: Layer, readonly outer: Layer, readonly norm: Norm }} feedForward
 */

/**
 * Loads a BERT model from an ONNX file with 8-bit or float weights.
 * @param {Uint8Array} file
 * @param {Multiplier} multiplier keeps the weights of all layers
 */
export function loadModel(file, multiplier) {
  const weights = new Weights(file);
  return {
    pieces: weights.getTable("embeddings.word_embeddings.weight"),
    places: weights.getTable("embeddings.position_embeddings.weight"),
    kinds: weights.getTable("embeddings.token_type_embeddings.weight"),
    norm: weights.getNorm("embeddings.LayerNorm"),
    layers: Array.from({ length: weights.countLayers() }, (_, nth) =>
      loadTransformerLayer(weights, multiplier, nth),
    ),
  };
}

/**
 * Loads a layer of the transformer.
 * @param {Weights} weights
 * @param {Multiplier} multiplier
 * @param {number} nth
 * @returns {TransformerLayer}
 */
function loadTransformerLayer(weights, multiplier, nth) {
  const path = `encoder/layer.${nth}`;
  const attention = `${path}/attention/self`;
  /** @param {string[]} paths */
  const load = (...paths) => loadLayer(weights, multiplier, paths);
  return {
    attention: {
      split: load(`${attention}/query`, `${attention}/key`, `${attention}/value`),
      output: load(`${path}/attention/output/dense`),
      norm: weights.getNorm(`encoder.layer.${nth}.attention.output.LayerNorm`),
    },
    feedForward: {
      inner: load(`${path}/intermediate/dense`),
      outer: load(`${path}/output/dense`),
      norm: weights.getNorm(`encoder.layer.${nth}.output.LayerNorm`),
    },
  };
}

/**
 * Loads operations on the same rows as one layer, their columns side by side.
 * @param {Weights} weights
 * @param {Multiplier} multiplier
 * @param {string[]} paths
 * @returns {Layer}
 */
function loadLayer(weights, multiplier, paths) {
  const parts = paths.map((path) => weights.getMatrix(path));
  const depth = parts[0]?.depth ?? 0;
  const width = parts.reduce((sum, part) => sum + part.width, 0);
  const values = new Float32Array(depth * width);
  let first = 0;
  for (const part of parts) {
    for (let row = 0; row < depth; row++)
      values.set(part.values.subarray(row * part.width, (row + 1) * part.width), row * width + first);
    first += part.width;
  }
  const matrix = { start: 0, depth, width, rowStep: width, columnStep: 1 };
  const layer = multiplier.fill(multiplier.reserve(depth, width), values, matrix);
  const biases = paths.flatMap((path) => [...weights.getFloats(`${path.replaceAll("/", ".")}.bias`)]);
  multiplier.setBias(layer, Float32Array.from(biases));
  return layer;
}

/** The weights in an ONNX file, by the names that PyTorch gives them. */
class Weights {
  #file;

  /** @param {Uint8Array} file */
  constructor(file) {
    this.#file = readOnnx(file);
  }

  /** Counts the layers of the transformer. */
  countLayers() {
    return this.#file.nodes.filter(({ name }) => /\/intermediate\/dense\/MatMul(_quant)?$/.test(name)).length;
  }

  /** Copies the floats of a tensor, so the file can be garbage-collected. @param {string} name */
  getFloats(name) {
    return Float32Array.from(this.#getTensor(name).values);
  }

  /** Finds a norm. @param {string} path @returns {Norm} */
  getNorm(path) {
    return { scale: this.getFloats(`${path}.weight`), bias: this.getFloats(`${path}.bias`) };
  }

  /** Finds a table. Keeps the file's number type, so quantized tables stay small. @param {string} name @returns {Table} */
  getTable(name) {
    if (this.#file.tensors.has(name)) return { values: this.getFloats(name), zero: 0, scale: 1 };
    const [zero = 0] = this.#getTensor(`${name}_zero_point`).values;
    const [scale = 1] = this.#getTensor(`${name}_scale`).values;
    return { values: this.#getTensor(`${name}_quantized`).values.slice(), zero, scale };
  }

  /** Reads the weights that an operation multiplies with, as floats. @param {string} path */
  getMatrix(path) {
    const node = this.#file.nodes.find(
      ({ name }) => name === `/${path}/MatMul` || name === `/${path}/MatMul_quant`,
    );
    const name = node?.inputs[1] ?? path;
    const { values, shape } = this.#getTensor(name);
    const [depth = 0, width = 0] = shape;
    if (values instanceof Float32Array) return { values, depth, width };
    const base = name.replace(/_quantized$/, "");
    const scales = this.#getTensor(`${base}_scale`).values;
    const zeros = this.#getTensor(`${base}_zero_point`).values;
    const floats = new Float32Array(values.length);
    for (let at = 0; at < floats.length; at++) {
      const column = scales.length > 1 ? at % width : 0;
      floats[at] = ((values[at] ?? 0) - (zeros[column] ?? 0)) * (scales[column] ?? 0);
    }
    return { values: floats, depth, width };
  }

  /** @param {string} name */
  #getTensor(name) {
    const tensor = this.#file.tensors.get(name);
    if (!tensor) throw new Error(`The model has no ${name}.`);
    return tensor;
  }
}
