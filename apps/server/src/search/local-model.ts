import { basename, dirname, resolve } from "node:path";
import type { EmbeddingModel } from "@minutes/search";
import { SettingsError } from "../config/config.js";
import { describeInstallation, loadRuntime } from "./models/runtime.js";

/** Texts per run of the model; other work runs in between. */
const BATCH = 4;

export interface LocalModelOptions {
  /** True to use 8-bit weights (`onnx/model_quantized.onnx`). Default: `onnx/model.onnx`. */
  readonly quantized?: boolean;
  /** Prefixes that the model expects before texts. */
  readonly prefixes?: { readonly query: string; readonly chunk: string };
}

/**
 * Loads a sentence-embedding model in ONNX format from a directory on this machine; downloads nothing. Its runtime
 * takes half a gigabyte, so it is not part of the installation and is loaded from next to the model
 * (docs/decisions/0100-semantic-search.md).
 * @throws SettingsError if the package or the model can't be loaded
 */
export async function loadLocalModel(
  directory: string,
  { quantized = false, prefixes = { query: "", chunk: "" } }: LocalModelOptions = {},
): Promise<EmbeddingModel> {
  const path = resolve(directory);
  const runtime = loadRuntime(path);
  if (!runtime)
    throw new SettingsError(
      `EMBEDDINGS=local needs a package next to the model: ${describeInstallation(dirname(path))}`,
    );
  const { env, pipeline } = runtime;
  env.allowRemoteModels = false;
  env.localModelPath = dirname(path);
  const loading = quantized
    ? pipeline("feature-extraction", basename(path), { dtype: "q8" })
    : pipeline("feature-extraction", basename(path));
  const extract = await loading.catch(() => {
    throw new SettingsError(
      "EMBEDDINGS_MODEL is not the directory of an ONNX model, or a file is damaged. It needs config.json, tokenizer.json, " +
        "tokenizer_config.json and onnx/model.onnx.",
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
