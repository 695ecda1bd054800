import { basename, dirname, resolve } from "node:path";
import type { EmbeddingModel } from "@minutes/search";
import { SettingsError } from "./env.js";
import { describeInstallation, loadRuntime } from "./models/runtime.js";

/** Texts per run of the model: between two runs, other work has its turn. */
const BATCH = 4;

export interface LocalModelOptions {
  /** True where the weights have one byte each (`onnx/model_quantized.onnx`); default `onnx/model.onnx`. */
  readonly quantized?: boolean;
  /** What the model wants before a text. */
  readonly prefixes?: { readonly query: string; readonly chunk: string };
}

/**
 * Loads a sentence-embedding model in ONNX form from a directory on this machine; nothing is fetched here.
 * What runs it is half a gigabyte, and so no part of the installation: it is looked for beside the model
 * (docs/decisions/0053-local-models.md).
 * @throws SettingsError when the package or the model can't be loaded
 */
export async function loadLocalModel(
  directory: string,
  { quantized = false, prefixes = { query: "", chunk: "" } }: LocalModelOptions = {},
): Promise<EmbeddingModel> {
  const path = resolve(directory);
  const runtime = loadRuntime(path);
  if (!runtime)
    throw new SettingsError(
      `EMBEDDINGS=local needs a package beside the model: ${describeInstallation(dirname(path))}`,
    );
  const { env, pipeline } = runtime;
  env.allowRemoteModels = false;
  env.localModelPath = dirname(path);
  const loading = quantized
    ? pipeline("feature-extraction", basename(path), { dtype: "q8" })
    : pipeline("feature-extraction", basename(path));
  const extract = await loading.catch(() => {
    throw new SettingsError(
      "EMBEDDINGS_MODEL is not the directory of an ONNX model: it has config.json, tokenizer.json, tokenizer_config.json " +
        "and onnx/model.onnx.",
    );
  });
  return {
    name: basename(path),
    embed: async (texts, kind, signal) => {
      const vectors: number[][] = [];
      for (let at = 0; at < texts.length; at += BATCH) {
        signal.throwIfAborted();
        const batch = texts.slice(at, at + BATCH).map((text) => `${prefixes[kind]}${text}`);
        vectors.push(...(await extract(batch, { pooling: "mean", normalize: true })).tolist());
      }
      return vectors;
    },
  };
}
