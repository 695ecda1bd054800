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
  const { nodes, tensors } = readOnnx(file);
  /** Finds a tensor. @param {string} name */
  const getTensor = (name) => {
    const tensor = tensors.get(name);
    if (!tensor) throw new Error(`The model has no ${name}.`);
    return tensor;
  };
  /** Copies the floats of a tensor, so the file can be garbage-collected. @param {string} name */
  const getFloats = (name) => Float32Array.from(getTensor(name).values);
  /** Finds a table. Keeps the file's number type, so quantized tables stay small. @param {string} name @returns {Table} */
  const getTable = (name) => {
    if (tensors.has(name)) return { values: getFloats(name), zero: 0, scale: 1 };
    const [zero = 0] = getTensor(`${name}_zero_point`).values;
    const [scale = 1] = getTensor(`${name}_scale`).values;
    return { values: getTensor(`${name}_quantized`).values.slice(), zero, scale };
  };
  /** Reads the weights that an operation multiplies with, as floats. @param {string} path */
  const getWeights = (path) => {
    const node = nodes.find(({ name }) => name === `/${path}/MatMul` || name === `/${path}/MatMul_quant`);
    const name = node?.inputs[1] ?? path;
    const { values, shape } = getTensor(name);
    const [depth = 0, width = 0] = shape;
    if (values instanceof Float32Array) return { values, depth, width };
    const base = name.replace(/_quantized$/, "");
    const scales = getTensor(`${base}_scale`).values;
    const zeros = getTensor(`${base}_zero_point`).values;
    const floats = new Float32Array(values.length);
    for (let at = 0; at < floats.length; at++) {
      const column = scales.length > 1 ? at % width : 0;
      floats[at] = ((values[at] ?? 0) - (zeros[column] ?? 0)) * (scales[column] ?? 0);
    }
    return { values: floats, depth, width };
  };
  /** Loads operations on the same rows as one layer, their columns side by side. @param {string[]} paths @returns {Layer} */
  const getLayer = (...paths) => {
    const parts = paths.map(getWeights);
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
    multiplier.setBias(
      layer,
      Float32Array.from(paths.flatMap((path) => [...getFloats(`${path.replaceAll("/", ".")}.bias`)])),
    );
    return layer;
  };
  /** Finds a norm. @param {string} path @returns {Norm} */
  const getNorm = (path) => ({ scale: getFloats(`${path}.weight`), bias: getFloats(`${path}.bias`) });
  /** Finds all weights of a layer of the transformer. @param {number} nth @returns {TransformerLayer} */
  const getTransformerLayer = (nth) => {
    const path = `encoder/layer.${nth}`;
    const attention = `${path}/attention/self`;
    return {
      attention: {
        split: getLayer(`${attention}/query`, `${attention}/key`, `${attention}/value`),
        output: getLayer(`${path}/attention/output/dense`),
        norm: getNorm(`encoder.layer.${nth}.attention.output.LayerNorm`),
      },
      feedForward: {
        inner: getLayer(`${path}/intermediate/dense`),
        outer: getLayer(`${path}/output/dense`),
        norm: getNorm(`encoder.layer.${nth}.output.LayerNorm`),
      },
    };
  };
  const count = nodes.filter(({ name }) => /\/intermediate\/dense\/MatMul(_quant)?$/.test(name)).length;
  return {
    pieces: getTable("embeddings.word_embeddings.weight"),
    places: getTable("embeddings.position_embeddings.weight"),
    kinds: getTable("embeddings.token_type_embeddings.weight"),
    norm: getNorm("embeddings.LayerNorm"),
    layers: Array.from({ length: count }, (_, nth) => getTransformerLayer(nth)),
  };
}
