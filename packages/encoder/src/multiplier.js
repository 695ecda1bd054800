import { readFileSync } from "node:fs";

/** Maximum magnitude of a number in a row or weight: 1,536 products of two fit into 32 bits. */
const MOST = 1023;
/** Alignment of sizes required by `multiply.wat`. */
const ROWS = 4;
const COLUMNS = 8;
/** Size of a WebAssembly memory page, in bytes. */
const PAGE = 65_536;

/** Rounds a number of 32 bits at most; `Math.round` takes several times as long. @param {number} value */
const round = (value) => (value + (value < 0 ? -0.5 : 0.5)) | 0;

/** Rounds up to a multiple of a step. @param {number} value @param {number} step */
const roundUp = (value, step) => Math.ceil(value / step) * step;

/**
 * Weights in the memory of the multiplier.
 * @typedef {{ readonly at: number, readonly scales: number, readonly bias: number, readonly depth: number, readonly width: number }} Layer
 */

/**
 * Multiplies rows by weights with 11-bit integers: one instruction multiplies eight of them but only four floats, and
 * the error is an eighth of that of 8 bits.
 */
export class Multiplier {
  #memory = new WebAssembly.Memory({ initial: 1 });
  #multiply;
  #quantize;
  #end = 0;
  #rows = { floats: 0, at: 0, scales: 0, out: 0 };

  /**
   * @param {number} rows maximum number of rows
   * @param {number} depth maximum row length
   * @param {number} width maximum number of columns
   */
  constructor(rows, depth, width) {
    const code = new WebAssembly.Module(readFileSync(new URL("./multiply.wasm", import.meta.url)));
    const { exports } = new WebAssembly.Instance(code, { encoder: { memory: this.#memory } });
    this.#quantize = /** @type {(...numbers: number[]) => void} */ (exports.quantize);
    this.#multiply = /** @type {(...numbers: number[]) => void} */ (exports.multiply);
    this.#rows = {
      floats: this.#allocate(4 * rows * depth),
      at: this.#allocate(2 * rows * depth),
      scales: this.#allocate(4 * rows),
      out: this.#allocate(4 * rows * width),
    };
  }

  /**
   * Reserves memory for weights of this maximum size. Their bias is zero until `setBias`.
   * @param {number} depth
   * @param {number} width
   * @returns {Layer}
   */
  reserve(depth, width) {
    const at = this.#allocate(2 * roundUp(depth, COLUMNS) * roundUp(width, COLUMNS));
    const scales = this.#allocate(4 * roundUp(width, COLUMNS));
    return { at, scales, bias: this.#allocate(4 * roundUp(width, COLUMNS)), depth, width };
  }

  /**
   * Stores weights in reserved memory, with a scale per column. Sizes are padded with zeros to multiples of 8.
   * @param {Layer} reserved
   * @param {Float32Array} values
   * @param {{ start: number, depth: number, width: number, rowStep: number, columnStep: number }} matrix position of
   * its numbers among the values
   * @returns {Layer}
   */
  fill(reserved, values, { start, depth, width, rowStep, columnStep }) {
    const layer = { ...reserved, depth: roundUp(depth, COLUMNS), width: roundUp(width, COLUMNS) };
    const { buffer } = this.#memory;
    const scales = new Float32Array(buffer, layer.scales, layer.width);
    const tiles = new Int16Array(buffer, layer.at, layer.depth * layer.width).fill(0);
    for (let column = 0; column < width; column++) {
      const first = start + column * columnStep;
      let most = 0;
      for (let row = 0; row < depth; row++) {
        const size = Math.abs(values[first + row * rowStep]);
        if (size > most) most = size;
      }
      const factor = most > 0 ? MOST / most : 0;
      scales[column] = most / MOST;
      const tile = (column - (column % COLUMNS)) * layer.depth + (column % COLUMNS) * 2;
      for (let row = 0; row < depth; row++)
        tiles[tile + (row >> 1) * 2 * COLUMNS + (row & 1)] = round(values[first + row * rowStep] * factor);
    }
    return layer;
  }

  /** Sets the bias of each column. @param {Layer} layer @param {Float32Array} bias */
  setBias(layer, bias) {
    new Float32Array(this.#memory.buffer, layer.bias, layer.width).set(bias);
  }

  /**
   * Multiplies rows by a layer's weights and adds its bias. The result is valid until the next call.
   * @param {Float32Array} rows concatenated
   * @param {Layer} layer
   * @returns {Float32Array}
   */
  multiply(rows, { at, scales, bias, depth, width }) {
    const { floats, at: whole, scales: rowScales, out } = this.#rows;
    const count = rows.length / depth;
    new Float32Array(this.#memory.buffer, floats, rows.length).set(rows);
    this.#quantize(floats, whole, rowScales, count, depth);
    this.#multiply(whole, at, rowScales, scales, bias, out, roundUp(count, ROWS), depth, width);
    return new Float32Array(this.#memory.buffer, out, count * width);
  }

  /** Allocates zeroed bytes. @param {number} bytes @returns their position */
  #allocate(bytes) {
    const at = this.#end;
    this.#end = roundUp(at + bytes, 16);
    const missing = Math.ceil((this.#end - this.#memory.buffer.byteLength) / PAGE);
    if (missing > 0) this.#memory.grow(missing);
    return at;
  }
}
