import { readFileSync } from "node:fs";

/** The most that a number of a row or a weight may be: 1,536 products of two of them fit into 32 bits. */
const MOST = 1023;
/** What `multiply.wat` asks of sizes. */
const ROWS = 4;
const COLUMNS = 8;
/** Bytes of a page of WebAssembly's memory. */
const PAGE = 65_536;

/** Rounds up to a multiple of a step. @param {number} value @param {number} step */
const roundUp = (value, step) => Math.ceil(value / step) * step;

/**
 * Weights in the memory of the multiplier.
 * @typedef {{ readonly at: number, readonly scales: number, readonly bias: number, readonly depth: number, readonly width: number }} Layer
 */

/**
 * Multiplies rows of numbers by weights, in whole numbers of 11 bits: one instruction multiplies eight of them, and only four
 * floats, and their error is an eighth of that of 8 bits.
 */
export class Multiplier {
  #memory = new WebAssembly.Memory({ initial: 1 });
  #multiply;
  #end = 0;
  #rows = { at: 0, scales: 0, out: 0 };

  /**
   * @param {number} rows the most rows at a time
   * @param {number} depth the most numbers of a row
   * @param {number} width the most columns
   */
  constructor(rows, depth, width) {
    const code = new WebAssembly.Module(readFileSync(new URL("./multiply.wasm", import.meta.url)));
    const { exports } = new WebAssembly.Instance(code, { encoder: { memory: this.#memory } });
    this.#multiply = /** @type {(...numbers: number[]) => void} */ (exports.multiply);
    this.#rows = {
      at: this.#allocate(2 * rows * depth),
      scales: this.#allocate(4 * rows),
      out: this.#allocate(4 * rows * width),
    };
  }

  /**
   * Reserves memory for weights of so many rows and columns at most. Their bias is zero until `setBias`.
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
   * Puts weights into reserved memory, each column in steps of its own. Sizes are rounded up to multiples of 8, with zeros.
   * @param {Layer} reserved
   * @param {Float32Array} values
   * @param {{ start: number, depth: number, width: number, rowStep: number, columnStep: number }} matrix where
   *   its numbers are among the values
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
        tiles[tile + (row >> 1) * 2 * COLUMNS + (row & 1)] = Math.round(
          values[first + row * rowStep] * factor,
        );
    }
    return layer;
  }

  /** Sets what is added to each column. @param {Layer} layer @param {Float32Array} bias */
  setBias(layer, bias) {
    new Float32Array(this.#memory.buffer, layer.bias, layer.width).set(bias);
  }

  /**
   * Multiplies rows by a layer's weights and adds its bias. The answer is valid until the next call.
   * @param {Float32Array} rows one after another
   * @param {Layer} layer
   * @returns {Float32Array}
   */
  multiply(rows, { at, scales, bias, depth, width }) {
    const { buffer } = this.#memory;
    const count = rows.length / depth;
    const height = roundUp(count, ROWS);
    const whole = new Int16Array(buffer, this.#rows.at, height * depth);
    const rowScales = new Float32Array(buffer, this.#rows.scales, height);
    for (let row = 0; row < count; row++) {
      const begin = row * depth;
      let most = 0;
      for (let at = begin; at < begin + depth; at++) {
        const size = Math.abs(rows[at]);
        if (size > most) most = size;
      }
      const factor = most > 0 ? MOST / most : 0;
      for (let at = begin; at < begin + depth; at++) whole[at] = Math.round(rows[at] * factor);
      rowScales[row] = most / MOST;
    }
    this.#multiply(this.#rows.at, at, this.#rows.scales, scales, bias, this.#rows.out, height, depth, width);
    return new Float32Array(buffer, this.#rows.out, count * width);
  }

  /** Returns the place of so many bytes, which are zero. @param {number} bytes */
  #allocate(bytes) {
    const at = this.#end;
    this.#end = roundUp(at + bytes, 16);
    const missing = Math.ceil((this.#end - this.#memory.buffer.byteLength) / PAGE);
    if (missing > 0) this.#memory.grow(missing);
    return at;
  }
}
