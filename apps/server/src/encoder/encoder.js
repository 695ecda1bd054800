import { readFileSync } from "node:fs";
import { join } from "node:path";
import { loadModel } from "./model.js";
import { Multiplier } from "./multiplier.js";
import { createTokenizer } from "./tokenizer.js";

/** Pieces of a text that the model sees. */
const PIECES = 128;
/** Pieces of all texts that are encoded in one pass. */
const PASS = 256;
/** Numbers of a piece before the first layer, after it, and inside of a layer. */
const NARROW = 256;
const WIDE = 512;
const INNER = 1536;
const HEADS = 4;
/** Keeps `normalize` from dividing by zero. */
const EPSILON = 1e-6;

/** @typedef {readonly (readonly number[])[]} Texts the numbers of each text's pieces */

/**
 * Loads the Universal Sentence Encoder Lite, a transformer of two layers, from the files of a TensorFlow.js model. It gives
 * the vectors that TensorFlow.js gives, within a thousandth, for a fraction of the work:
 *
 * - Texts are not padded to one length: only attention looks beyond a piece, and it goes text by text.
 * - The last layer's second multiplication is done once for a text, after the mean over its pieces.
 * - Multiplications are of whole numbers (`Multiplier`).
 * @param {string} directory
 * @returns {(texts: readonly string[]) => number[][]} vectors of unit length
 */
export function loadEncoder(directory) {
  const multiplier = new Multiplier(PASS, INNER, INNER);
  const { embeddings, frequencies, widen, layers, last } = loadModel(directory, multiplier);
  const attend = createAttention(multiplier);
  const tokenize = createTokenizer(JSON.parse(readFileSync(join(directory, "vocab.json"), "utf8")));

  /** Encodes texts whose pieces fit into one pass. @param {Texts} texts */
  const encode = (texts) => {
    const pieces = embedPieces(texts, embeddings, frequencies);
    let state = multiplier.multiply(pieces, widen).slice();
    for (const [nth, { attention, feedForward }] of layers.entries()) {
      const split = multiplier.multiply(
        normalize(nth === 0 ? pieces : state, attention.norm),
        attention.split,
      );
      add(state, multiplier.multiply(attend(texts, split.slice()), attention.output));
      let inner = multiplier.multiply(normalize(state, feedForward.norm), feedForward.inner);
      for (let at = 0; at < inner.length; at++) if (inner[at] < 0) inner[at] = 0;
      if (nth === layers.length - 1) {
        inner = average(texts, inner);
        state = average(texts, state);
      }
      add(state, multiplier.multiply(inner, feedForward.outer));
    }
    const vectors = multiplier.multiply(state, last).map(Math.tanh);
    return texts.map((_, nth) => toUnitLength(vectors.subarray(nth * WIDE, (nth + 1) * WIDE)));
  };

  return (texts) => {
    /** @type {number[][][]} */
    const passes = [[]];
    let length = 0;
    for (const text of texts) {
      const numbers = tokenize(text).slice(0, PIECES);
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
 * Looks up the pieces, and adds waves that tell the place of each in its text.
 * @param {Texts} texts
 * @param {Float32Array} embeddings
 * @param {Float32Array} frequencies
 */
function embedPieces(texts, embeddings, frequencies) {
  const pieces = new Float32Array(NARROW * countPieces(texts));
  let begin = 0;
  for (const text of texts)
    for (const [place, number] of text.entries()) {
      const from = NARROW * number;
      for (let at = 0; at < NARROW; at++) {
        const angle = place * frequencies[at % (NARROW / 2)];
        const wave = at < NARROW / 2 ? Math.sin(angle) : Math.cos(angle);
        // The model adds a piece to itself with its wave.
        pieces[begin + at] = 2 * embeddings[from + at] + wave;
      }
      begin += NARROW;
    }
  return pieces;
}

/**
 * Brings each row to a mean of 0 and a deviation of 1, then applies the layer's scale and bias.
 * @param {Float32Array} rows
 * @param {import("./model.js").Norm} norm
 */
function normalize(rows, { scale, bias }) {
  const width = scale.length;
  const result = new Float32Array(rows.length);
  for (let begin = 0; begin < rows.length; begin += width) {
    let sum = 0;
    for (let at = 0; at < width; at++) sum += rows[begin + at];
    const mean = sum / width;
    let squares = 0;
    for (let at = 0; at < width; at++) squares += (rows[begin + at] - mean) ** 2;
    const factor = 1 / Math.sqrt(squares / width + EPSILON);
    for (let at = 0; at < width; at++)
      result[begin + at] = (rows[begin + at] - mean) * factor * scale[at] + bias[at];
  }
  return result;
}

/**
 * Returns a function that mixes the pieces of each text: every head takes, for each piece, the mean of all values, weighted by how
 * well their keys match the piece's question.
 * @param {Multiplier} multiplier
 */
function createAttention(multiplier) {
  const keys = multiplier.reserve(WIDE / HEADS, PIECES);
  const values = multiplier.reserve(PIECES, WIDE / HEADS);
  /**
   * @param {Texts} texts
   * @param {Float32Array} split for each piece its questions, keys and values
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
          questions.set(split.subarray(start + piece * row, start + piece * row + size), piece * size);
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
          mixed.set(means.subarray(piece * size, (piece + 1) * size), (first + piece) * width + head * size);
      }
      first += length;
    }
    return mixed;
  };
}

/**
 * Turns each of `count` rows into shares that add up to 1 (softmax); numbers beyond the first `count` of a row become 0.
 * @param {Float32Array} rows
 * @param {number} count
 * @param {number} factor what the numbers are multiplied with before
 */
function toShares(rows, count, factor) {
  const width = rows.length / count;
  for (let begin = 0; begin < rows.length; begin += width) {
    const row = rows.subarray(begin, begin + count);
    const most = row.reduce((left, right) => Math.max(left, right), Number.NEGATIVE_INFINITY);
    let sum = 0;
    for (let at = 0; at < count; at++) {
      row[at] = Math.exp((row[at] - most) * factor);
      sum += row[at];
    }
    for (let at = 0; at < count; at++) row[at] /= sum;
    rows.fill(0, begin + count, begin + width);
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

/** Adds terms to a sum in its place. @param {Float32Array} sum @param {Float32Array} terms */
function add(sum, terms) {
  for (let at = 0; at < sum.length; at++) sum[at] = sum[at] + terms[at];
}

/** Scales a vector to a length of 1. @param {Float32Array} vector */
function toUnitLength(vector) {
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return Array.from(vector, (value) => value / length);
}
