// @ts-check
import { Multiplier } from "./multiplier.js";
import { readWeights } from "./weights.js";

/** @typedef {import("./multiplier.js").Layer} Layer */
/** @typedef {{ readonly scale: Float32Array, readonly bias: Float32Array }} Norm */
/**
 * @typedef {object} TransformerLayer
 * @property {{ readonly norm: Norm, readonly split: Layer, readonly output: Layer }} attention
 * @property {{ readonly norm: Norm, readonly inner: Layer, readonly outer: Layer }} feedForward
 */

/** Layers of the transformer. */
const LAYERS = [0, 1];

/**
 * Loads the weights of the Universal Sentence Encoder Lite from the files of a TensorFlow.js model.
 * @param {string} directory
 * @param {Multiplier} multiplier keeps the weights of all layers
 */
export function loadModel(directory, multiplier) {
  /** @type {[name: string, values: Float32Array][]} */
  const vectors = [];
  /** @type {[name: string, layer: Layer][]} */
  const matrices = [];
  readWeights(directory, (name, values, shape) => {
    const [height = 1, width = 1] = shape.slice(-2);
    if (shape.length < 2 || height === 1 || name.endsWith("/Embeddings_en"))
      vectors.push([name, values.slice()]);
    else {
      const matrix = { start: 0, depth: height, width, rowStep: width, columnStep: 1 };
      matrices.push([name, multiplier.fill(multiplier.reserve(height, width), values, matrix)]);
    }
  });
  /** Finds a vector by the end of its name. @param {string} ending */
  const getVector = (ending) => find(vectors, ending);
  /** Finds a layer by the ends of its names. @param {string} weights @param {string} bias */
  const getLayer = (weights, bias) => {
    const layer = find(matrices, weights);
    multiplier.setBias(layer, getVector(bias));
    return layer;
  };
  /** Finds a norm by its path. @param {string} path @returns {Norm} */
  const getNorm = (path) => ({
    scale: getVector(`${path}/layer_norm_scale/ConcatPartitions/concat`),
    bias: getVector(`${path}/layer_norm_bias/ConcatPartitions/concat`),
  });
  /** Finds all weights of a layer of the transformer. @param {number} nth @returns {TransformerLayer} */
  const getTransformerLayer = (nth) => {
    const path = `Layer_${nth}/TransformerLayer`;
    /** Finds a layer of the attention. @param {string} name */
    const getTransform = (name) =>
      getLayer(
        `${path}/MultiheadAttention/${name}_transform_single/kernel/part_0`,
        `${path}/MultiheadAttention/${name}_transform_single/bias/ConcatPartitions/concat`,
      );
    /** Finds a layer of the feed-forward part. @param {string} name */
    const getFeedForward = (name) =>
      getLayer(`${path}/FFN/${name}/Tensordot/Reshape_1`, `${path}/FFN/${name}/bias/ConcatPartitions/concat`);
    return {
      attention: {
        norm: getNorm(`${path}/layer_prepostprocess/layer_norm`),
        split: getTransform("qkv"),
        output: getTransform("output"),
      },
      feedForward: {
        norm: getNorm(`${path}/FFN/layer_prepostprocess/layer_norm`),
        inner: getFeedForward("conv1"),
        outer: getFeedForward("conv2"),
      },
    };
  };
  return {
    embeddings: getVector("/Embeddings_en"),
    /** Of the waves that tell a piece's place in the text. */
    frequencies: getVector("/AddTimingSignal/TimingSignal/ExpandDims_1"),
    widen: getLayer(
      "Layer_0/TransformerLayer/dense/kernel/ConcatPartitions/concat",
      "Layer_0/TransformerLayer/dense/bias/ConcatPartitions/concat",
    ),
    layers: LAYERS.map(getTransformerLayer),
    last: getLayer("/tanh_layer_0/weights", "/tanh_layer_0/bias"),
  };
}

/**
 * Finds what has the one name with an ending.
 * @template T
 * @param {readonly [name: string, value: T][]} all
 * @param {string} ending
 */
function find(all, ending) {
  const found = all.filter(([name]) => name.endsWith(ending));
  if (!found[0] || found.length > 1) throw new Error(`${found.length} weights are called ${ending}`);
  return found[0][1];
}
