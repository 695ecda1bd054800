import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

type Field = readonly [number: number, value: number | string | Buffer | readonly Field[]];

function encodeVarint(value: number): Buffer {
  const bytes: number[] = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return Buffer.from([...bytes, rest]);
    bytes.push((rest % 128) + 128);
  }
}

/** Encodes a protobuf message: numbers as varints, everything else length-delimited. */
const encodeMessage = (fields: readonly Field[]): Buffer =>
  Buffer.concat(
    fields.map(([number, value]) => {
      if (typeof value === "number") return Buffer.concat([encodeVarint(number * 8), encodeVarint(value)]);
      const bytes =
        typeof value === "string"
          ? Buffer.from(value)
          : Buffer.isBuffer(value)
            ? value
            : encodeMessage(value);
      return Buffer.concat([encodeVarint(number * 8 + 2), encodeVarint(bytes.length), bytes]);
    }),
  );

const FLOAT = 1;
const INT64 = 7;
const toValueInfo = (name: string, type: number, dimensions: readonly string[]): readonly Field[] => [
  [1, name],
  [
    2,
    [
      [
        1,
        [
          [1, type],
          [2, dimensions.map((dimension): Field => [1, [[2, dimension]]])],
        ],
      ],
    ],
  ],
];

/** Encodes an ONNX model that only looks each word up in a table. */
function encodeModel(table: readonly (readonly number[])[]): Buffer {
  const width = table[0]?.length ?? 0;
  return encodeMessage([
    [1, 8], // version of the format
    [
      7,
      [
        [
          1,
          [
            [1, "table"],
            [1, "input_ids"],
            [2, "last_hidden_state"],
            [4, "Gather"],
          ],
        ],
        [2, "tiny"],
        [
          5,
          [
            [1, table.length],
            [1, width],
            [2, FLOAT],
            [8, "table"],
            [9, Buffer.from(new Float32Array(table.flat()).buffer)],
          ],
        ],
        [11, toValueInfo("input_ids", INT64, ["texts", "words"])],
        [12, toValueInfo("last_hidden_state", FLOAT, ["texts", "words", "width"])],
      ],
    ],
    [
      8,
      [
        [1, ""],
        [2, 13],
      ],
    ], // version of the operators
  ]);
}

/** Writes a model for these words into a directory, as after a download. */
export async function writeTinyModel(
  directory: string,
  words: Readonly<Record<string, readonly number[]>>,
): Promise<void> {
  const width = Object.values(words)[0]?.length ?? 0;
  // Unknown words get a little of every dimension.
  const table = [new Array(width).fill(0), new Array(width).fill(0.01), ...Object.values(words)];
  const vocab = Object.fromEntries(["[PAD]", "[UNK]", ...Object.keys(words)].map((word, id) => [word, id]));
  const special = ["[PAD]", "[UNK]"].map((content, id) => ({
    ...{ id, content, special: true, single_word: false, lstrip: false, rstrip: false, normalized: false },
  }));
  const files = {
    "config.json": { model_type: "bert", hidden_size: width },
    "tokenizer_config.json": {
      ...{ tokenizer_class: "BertTokenizer", pad_token: "[PAD]", unk_token: "[UNK]", model_max_length: 512 },
    },
    "tokenizer.json": {
      version: "1.0",
      truncation: null,
      padding: null,
      added_tokens: special,
      normalizer: { type: "Lowercase" },
      pre_tokenizer: { type: "Whitespace" },
      post_processor: null,
      decoder: null,
      model: { type: "WordLevel", vocab, unk_token: "[UNK]" },
    },
  };
  await mkdir(join(directory, "onnx"), { recursive: true });
  for (const [name, content] of Object.entries(files))
    await writeFile(join(directory, name), JSON.stringify(content));
  // Full weights, and quantized ones, which are the same here.
  for (const name of ["model.onnx", "model_quantized.onnx"])
    await writeFile(join(directory, "onnx", name), encodeModel(table));
}
