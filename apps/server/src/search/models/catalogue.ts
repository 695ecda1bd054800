/** A sentence-embedding model in ONNX format with 8-bit weights that `minutes embeddings use` can download. */
export interface DownloadableModel {
  readonly name: string;
  readonly languages: string;
  readonly licence: string;
  /** Repository on the mirror, and the revision that the checksums belong to. */
  readonly repository: string;
  readonly revision: string;
  readonly files: readonly {
    /** Path in the model's repository and directory. */
    readonly path: string;
    readonly bytes: number;
    readonly sha256: string;
  }[];
  /** Prefixes that the model expects before a query and before a chunk. */
  readonly prefixes: { readonly query: string; readonly chunk: string };
}

/** The models to choose from, with checksums for that revision. */
export const MODELS: readonly DownloadableModel[] = [
  {
    name: "multilingual-e5-small",
    languages: "94 languages",
    licence: "MIT",
    repository: "Xenova/multilingual-e5-small",
    revision: "761b726dd34fb83930e26aab4e9ac3899aa1fa78",
    files: [
      {
        path: "config.json",
        bytes: 658,
        sha256: "cb99455288675345e1a4f411438d5d0adbba5fbd3a67ea4fb03c015433b996c1",
      },
      {
        path: "tokenizer_config.json",
        bytes: 443,
        sha256: "a1d6bc8734a6f635dc158508bef000f8e2e5a759c7d92f984b2c86e5ff53425b",
      },
      {
        path: "tokenizer.json",
        bytes: 17_082_730,
        sha256: "0b44a9d7b51c3c62626640cda0e2c2f70fdacdc25bbbd68038369d14ebdf4c39",
      },
      {
        path: "onnx/model_quantized.onnx",
        bytes: 118_308_185,
        sha256: "f80102d3f2a1229f387d3c81909990d8945513e347b0eab049f7de3c6f98c193",
      },
    ],
    prefixes: { query: "query: ", chunk: "passage: " },
  },
  {
    name: "all-MiniLM-L6-v2",
    languages: "English",
    licence: "Apache-2.0",
    repository: "Xenova/all-MiniLM-L6-v2",
    revision: "751bff37182d3f1213fa05d7196b954e230abad9",
    files: [
      {
        path: "config.json",
        bytes: 650,
        sha256: "7135149f7cffa1a573466c6e4d8423ed73b62fd2332c575bf738a0d033f70df7",
      },
      {
        path: "tokenizer_config.json",
        bytes: 366,
        sha256: "9261e7d79b44c8195c1cada2b453e55b00aeb81e907a6664974b4d7776172ab3",
      },
      {
        path: "tokenizer.json",
        bytes: 711_661,
        sha256: "da0e79933b9ed51798a3ae27893d3c5fa4a201126cef75586296df9b4d2c62a0",
      },
      {
        path: "onnx/model_quantized.onnx",
        bytes: 22_972_370,
        sha256: "afdb6f1a0e45b715d0bb9b11772f032c399babd23bfc31fed1c170afc848bdb1",
      },
    ],
    prefixes: { query: "", chunk: "" },
  },
];

/** Sums the bytes of a model's files. */
export const getSize = (model: DownloadableModel): number =>
  model.files.reduce((sum, { bytes }) => sum + bytes, 0);
