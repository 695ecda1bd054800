import { basename, dirname, resolve } from "node:path";
import type { EmbeddingModel } from "@minutes/core";
import { SettingsError } from "./env.js";

/** The part of `@huggingface/transformers` that is used; the package is installed by those who want it. */
interface Transformers {
  readonly env: { allowRemoteModels: boolean; localModelPath: string };
  pipeline(task: "feature-extraction", model: string): Promise<FeatureExtraction>;
}
type FeatureExtraction = (
  texts: string[],
  options: { pooling: "mean"; normalize: true },
) => Promise<{ tolist(): number[][] }>;

/** Texts per run of the model. */
const BATCH = 16;

/**
 * A sentence-embedding model in ONNX form, in a directory that the user has downloaded; nothing is fetched here.
 * Needs the optional package `@huggingface/transformers`.
 * @throws SettingsError when the package or the model can't be loaded.
 */
export async function localModel(directory: string): Promise<EmbeddingModel> {
  const path = resolve(directory);
  const load = async (): Promise<FeatureExtraction> => {
    const name = "@huggingface/transformers";
    const transformers = (await import(name).catch(() => {
      throw new SettingsError(
        `EMBEDDINGS=local needs the package ${name}: pnpm add ${name} --filter @minutes/server`,
      );
    })) as Transformers;
    transformers.env.allowRemoteModels = false;
    transformers.env.localModelPath = dirname(path);
    return transformers.pipeline("feature-extraction", basename(path)).catch(() => {
      throw new SettingsError("EMBEDDINGS_MODEL is not the directory of an ONNX model with its tokenizer.");
    });
  };
  const extract = await load();
  return {
    name: basename(path),
    embed: async (texts, _kind, signal) => {
      const vectors: number[][] = [];
      for (let at = 0; at < texts.length; at += BATCH) {
        signal.throwIfAborted();
        const batch = texts.slice(at, at + BATCH);
        vectors.push(...(await extract([...batch], { pooling: "mean", normalize: true })).tolist());
      }
      return vectors;
    },
  };
}
