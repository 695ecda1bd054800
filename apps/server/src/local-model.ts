import { createRequire } from "node:module";
import { basename, dirname, join, resolve } from "node:path";
import type { EmbeddingModel } from "@minutes/search";
import { SettingsError } from "./env.js";

/** The part of the package that is used. */
interface Transformers {
  readonly env: { allowRemoteModels: boolean; localModelPath: string };
  pipeline(task: "feature-extraction", model: string): Promise<FeatureExtraction>;
}
type FeatureExtraction = (
  texts: string[],
  options: { pooling: "mean"; normalize: true },
) => Promise<{ tolist(): number[][] }>;

const PACKAGE = "@huggingface/transformers";
/** The version that is tested, in `acceptance/installs/local-model.test.ts`. */
const VERSION = "4.3.1";
/** Texts per run of the model: between two runs, other work has its turn. */
const BATCH = 4;

/**
 * Loads a sentence-embedding model in ONNX form from a directory that the user has downloaded; nothing is fetched here.
 * What runs it is half a gigabyte, and so no part of the installation: it is looked for beside the model
 * (docs/decisions/0053).
 * @throws SettingsError when the package or the model can't be loaded.
 */
export async function loadLocalModel(directory: string): Promise<EmbeddingModel> {
  const path = resolve(directory);
  const { env, pipeline } = loadPackage(path);
  env.allowRemoteModels = false;
  env.localModelPath = dirname(path);
  const extract = await pipeline("feature-extraction", basename(path)).catch(() => {
    throw new SettingsError(
      "EMBEDDINGS_MODEL is not the directory of an ONNX model: it has config.json, tokenizer.json, tokenizer_config.json " +
        "and onnx/model.onnx.",
    );
  });
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

/** Loads the package from beside the model, a directory above it, or the server. */
function loadPackage(path: string): Transformers {
  for (const from of [join(path, "model"), import.meta.url]) {
    try {
      return createRequire(from)(PACKAGE) as Transformers;
    } catch {
      // Not there; or broken, and then installing it again helps too.
    }
  }
  throw new SettingsError(
    `EMBEDDINGS=local needs a package beside the model: npm install --ignore-scripts --prefix '${dirname(path)}' ${PACKAGE}@${VERSION}`,
  );
}
