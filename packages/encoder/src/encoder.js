import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Tokenizer } from "@huggingface/tokenizers";
import { loadModel } from "./model.js";
import { Multiplier } from "./multiplier.js";

/** Pieces of a text that the model sees, the two that begin and end it included. */
const PIECES = 128;
/** Maximum pieces encoded per pass, over all texts. */
const PASS = 256;
/** Numbers of a piece between layers, and inside of one. */
const WIDTH = 384;
const INNER = 1536;
const HEADS = 12;
/** Prevents a division by zero in `normalize`. */
const EPSILON = 1e-12;

/** @typedef {readonly (readonly number[])[]} Texts the numbers of each text's pieces */

/**
 * Loads a MiniLM sentence encoder (BERT, 384 dimensions) from `tokenizer.json`, `tokenizer_config.json` and an ONNX
 * file. It computes the same vectors as ONNX Runtime in a fraction of the memory:
 *
 * - Texts are not padded to one length: only attention looks beyond a piece, and it goes text by text.
 * - Matrices are multiplied as integers (`Multiplier`).
 * @param {string} directory
 * @param {{ file: string, sha256?: string }} options `file` is the model's path in the directory; with a sum, another file is
 *   refused
 * @returns {(texts: readonly string[]) => number[][]} vectors of unit length
 */
export function loadEncoder(directory, { file, sha256 }) {
  const multiplier = new Multiplier(PASS, INNER, INNER);
  const { pieces, places, kinds, norm, layers } = loadModel(
    readModel(join(directory, file), sha256),
    multiplier,
  );
  const attend = createAttention(multiplier);
  const tokenize = loadTokenizer(directory);

  /** Looks up the embeddings of the texts' pieces and adds position embeddings. @param {Texts} texts */
  const embed = (texts) => {
    const rows = new Float32Array(WIDTH * countPieces(texts));
    let begin = 0;
    for (const text of texts)
      for (const [place, number] of text.entries()) {
        for (let at = 0; at < WIDTH; at++)
          rows[begin + at] =
            (pieces.values[WIDTH * number + at] - pieces.zero) * pieces.scale +
            (places.values[WIDTH * place + at] - places.zero) * places.scale +
            (kinds.values[at] - kinds.zero) * kinds.scale;
        begin += WIDTH;
      }
    return rows;
  };

  /** Encodes texts whose pieces fit into one pass. @param {Texts} texts */
  const encode = (texts) => {
    const state = embed(texts);
    normalize(state, norm);
    for (const { attention, feedForward } of layers) {
      const split = multiplier.multiply(state, attention.split).slice();
      add(state, multiplier.multiply(attend(texts, split), attention.output));
      normalize(state, attention.norm);
      const inner = multiplier.multiply(state, feedForward.inner);
      activate(inner);
      add(state, multiplier.multiply(inner, feedForward.outer));
      normalize(state, feedForward.norm);
    }
    const means = average(texts, state);
    return texts.map((_, nth) => toUnitLength(means.subarray(nth * WIDTH, (nth + 1) * WIDTH)));
  };

  return (texts) => {
    /** @type {number[][][]} */
    const passes = [[]];
    let length = 0;
    for (const text of texts) {
      const numbers = tokenize(text);
      length += numbers.length;
      if (length > PASS) {
        passes.push([]);
        length = numbers.length;
      }
      passes.at(-1)?.push(numbers);
    }
    return passes.flatMap(encode);
  };
}

/**
 * Reads a model's file.
 * @param {string} path
 * @param {string | undefined} sha256
 */
function readModel(path, sha256) {
  const { buffer, byteOffset, length } = readFileSync(path);
  const bytes = new Uint8Array(buffer, byteOffset, length);
  if (sha256 !== undefined && createHash("sha256").update(bytes).digest("hex") !== sha256)
    throw new Error("The model's file has an unexpected checksum.");
  return bytes;
}

/** Loads what splits a text into pieces. @param {string} directory */
function loadTokenizer(directory) {
  const [rules, config] = ["tokenizer.json", "tokenizer_config.json"].map((file) =>
    JSON.parse(readFileSync(join(directory, file), "utf8")),
  );
  const tokenizer = new Tokenizer(rules, config);
  return (/** @type {string} */ text) => {
    const { ids } = tokenizer.encode(text);
    return ids.length > PIECES ? [...ids.slice(0, PIECES - 1), ids.at(-1) ?? 0] : ids;
  };
}

/** Steps of the table below for one unit, and up to which number it goes. Beyond, the function is 0 or the number itself. */
const STEPS = 512;
const END = 6;
const activations = Float32Array.from({ length: 2 * END * STEPS + 2 }, (_, step) => {
  const value = step / STEPS - END;
  return (value * (1 + approximateErf(value / Math.SQRT2))) / 2;
});

/** Puts each number through GELU, the smooth step inside of a layer. @param {Float32Array} rows */
function activate(rows) {
  for (let at = 0; at < rows.length; at++) {
    const value = rows[at];
    if (value >= END) continue;
    const place = value > -END ? (value + END) * STEPS : 0;
    const step = place | 0;
    const before = activations[step];
    rows[at] = before + (activations[step + 1] - before) * (place - step);
  }
}

/** Computes the error function, within 1.5e-7 (Abramowitz and Stegun 7.1.26). @param {number} value */
function approximateErf(value) {
  const t = 1 / (1 + 0.3275911 * Math.abs(value));
  const sum =
    t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
  return Math.sign(value) * (1 - sum * Math.exp(-value * value));
}

/**
 * Normalizes each row to mean 0 and deviation 1, then applies the layer's scale and bias.
 * @param {Float32Array} rows
 * @param {import("./model.js").Norm} norm
 */
function normalize(rows, { scale, bias }) {
  const width = scale.length;
  for (let begin = 0; begin < rows.length; begin += width) {
    let sum = 0;
    for (let at = 0; at < width; at++) sum += rows[begin + at];
    const mean = sum / width;
    let squares = 0;
    for (let at = 0; at < width; at++) squares += (rows[begin + at] - mean) ** 2;
    const factor = 1 / Math.sqrt(squares / width + EPSILON);
    for (let at = 0; at < width; at++)
      rows[begin + at] = (rows[begin + at] - mean) * factor * scale[at] + bias[at];
  }
}

/**
 * Creates the multi-head attention, which runs text by text.
 * @param {Multiplier} multiplier
 */
function createAttention(multiplier) {
  const keys = multiplier.reserve(WIDTH / HEADS, PIECES);
  const values = multiplier.reserve(PIECES, WIDTH / HEADS);
  /**
   * @param {Texts} texts
   * @param {Float32Array} split queries, keys and values of each piece
   */
  return (texts, split) => {
    const count = countPieces(texts);
    const row = split.length / count;
    const width = row / 3;
    const size = width / HEADS;
    const mixed = new Float32Array(count * width);
    let first = 0;
    for (const { length } of texts) {
      for (let head = 0; head < HEADS; head++) {
        const start = first * row + head * size;
        const questions = new Float32Array(length * size);
        for (let piece = 0; piece < length; piece++)
          for (let at = 0; at < size; at++) questions[piece * size + at] = split[start + piece * row + at];
        const keyMatrix = { start: start + width, depth: size, width: length, rowStep: 1, columnStep: row };
        const matches = multiplier.multiply(questions, multiplier.fill(keys, split, keyMatrix));
        toShares(matches, length, 1 / Math.sqrt(size));
        const valueMatrix = {
          start: start + 2 * width,
          depth: length,
          width: size,
          rowStep: row,
          columnStep: 1,
        };
        const means = multiplier.multiply(matches, multiplier.fill(values, split, valueMatrix));
        for (let piece = 0; piece < length; piece++)
          for (let at = 0; at < size; at++)
            mixed[(first + piece) * width + head * size + at] = means[piece * size + at];
      }
      first += length;
    }
    return mixed;
  };
}

/**
 * Applies softmax to each of `count` rows; numbers beyond the first `count` of a row become 0.
 * @param {Float32Array} rows
 * @param {number} count
 * @param {number} factor scale applied first
 */
function toShares(rows, count, factor) {
  const width = rows.length / count;
  for (let begin = 0; begin < rows.length; begin += width) {
    let most = Number.NEGATIVE_INFINITY;
    for (let at = begin; at < begin + count; at++) if (rows[at] > most) most = rows[at];
    let sum = 0;
    for (let at = begin; at < begin + count; at++) {
      const share = Math.exp((rows[at] - most) * factor);
      rows[at] = share;
      sum += share;
    }
    for (let at = begin; at < begin + count; at++) rows[at] /= sum;
    for (let at = begin + count; at < begin + width; at++) rows[at] = 0;
  }
}

/**
 * Computes the mean of each text's rows.
 * @param {Texts} texts
 * @param {Float32Array} rows
 */
function average(texts, rows) {
  const width = rows.length / countPieces(texts);
  const means = new Float32Array(texts.length * width);
  let begin = 0;
  for (const [nth, { length }] of texts.entries())
    for (let row = 0; row < length; row++, begin += width)
      for (let at = 0; at < width; at++)
        means[nth * width + at] = means[nth * width + at] + rows[begin + at] / length;
  return means;
}

/** Counts the pieces of all texts. @param {Texts} texts */
const countPieces = (texts) => texts.reduce((sum, { length }) => sum + length, 0);

/** Adds terms to a sum in place. @param {Float32Array} sum @param {Float32Array} terms */
function add(sum, terms) {
  for (let at = 0; at < sum.length; at++) sum[at] = sum[at] + terms[at];
}

/** Scales a vector to a length of 1. @param {Float32Array} vector */
function toUnitLength(vector) {
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return Array.from(vector, (value) => value / length);
}
