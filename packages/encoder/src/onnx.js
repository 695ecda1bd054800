// @ts-check
import { PbfReader } from "pbf";

/** How ONNX numbers the types of a tensor's elements. */
const FLOAT = 1;
const UINT8 = 2;
const INT8 = 3;

/** @typedef {Uint8Array | Int8Array | Int32Array | Float32Array} Values */
/** @typedef {{ name: string, type: number, shape: number[], values: Values }} Tensor */
/** @typedef {{ name: string, operator: string, inputs: string[] }} Node */

/**
 * Reads the weights and operations of a model in ONNX form. The file's bytes are shared, not copied.
 * @param {Uint8Array} file
 */
export function readOnnx(file) {
  /** @type {Map<string, Tensor>} */
  const tensors = new Map();
  /** @type {Node[]} */
  const nodes = [];
  new PbfReader(file).readFields((tag, _, model) => {
    if (tag !== 7) return;
    model.readMessage((tag, _, graph) => {
      if (tag === 1) nodes.push(graph.readMessage(readNode, { name: "", operator: "", inputs: [] }));
      if (tag === 5) {
        const tensor = graph.readMessage(readTensor, {
          name: "",
          type: FLOAT,
          shape: [],
          values: new Uint8Array(0),
        });
        tensors.set(tensor.name, tensor);
      }
    }, null);
  }, null);
  return { nodes, tensors };
}

/** Reads a field of an operation. @param {number} tag @param {Node} node @param {PbfReader} reader */
function readNode(tag, node, reader) {
  if (tag === 1) node.inputs.push(reader.readString());
  if (tag === 3) node.name = reader.readString();
  if (tag === 4) node.operator = reader.readString();
}

/** Reads a field of a tensor. @param {number} tag @param {Tensor} tensor @param {PbfReader} reader */
function readTensor(tag, tensor, reader) {
  if (tag === 1) tensor.shape.push(reader.readVarint(true));
  if (tag === 2) tensor.type = reader.readVarint();
  if (tag === 4) tensor.values = Float32Array.from(reader.readPackedFloat());
  if (tag === 5) tensor.values = Int32Array.from(reader.readPackedVarint([], true));
  if (tag === 8) tensor.name = reader.readString();
  if (tag === 9) tensor.values = toValues(reader.readBytes(), tensor.type);
}

/** Reads raw bytes as elements of a type. @param {Uint8Array} bytes @param {number} type @returns {Values} */
function toValues(bytes, type) {
  if (type === UINT8) return bytes;
  if (type === INT8) return new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length);
  // Floats have to begin at a multiple of four.
  return type === FLOAT ? new Float32Array(bytes.slice().buffer) : new Uint8Array(0);
}
