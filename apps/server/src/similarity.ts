import { type Connection, hasVectors } from "@minutes/db";
import {
  endpointModel,
  forgetLearnt,
  learntEmbedder,
  modelEmbedder,
  type SimilaritySearch,
  withCircuitBreaker,
  wordsOnly,
} from "@minutes/search";
import type { Logger } from "pino";
import { type Env, SettingsError } from "./env.js";

type Settings = Partial<Pick<Env, "EMBEDDINGS" | "EMBEDDINGS_URL" | "EMBEDDINGS_MODEL" | "EMBEDDINGS_KEY">>;

/**
 * What search knows beyond words, as the settings say: similarity learnt from each workspace's own meetings unless a
 * model is named. A database without pgvector searches by words, and the log says so.
 * @throws SettingsError when a model is asked for and not named.
 */
export async function createSimilaritySearch(
  env: Settings,
  { db }: Connection,
  log: Logger,
): Promise<SimilaritySearch> {
  const mode = env.EMBEDDINGS ?? (env.EMBEDDINGS_URL ? "endpoint" : "learnt");
  const embedder = await createEmbedder(mode, env);
  if (!embedder) {
    log.info({ search: "words" }, "search goes by words: EMBEDDINGS is off");
    return wordsOnly("EMBEDDINGS is off", forgetLearnt);
  }
  if (!(await hasVectors(db))) {
    log.warn({ search: "words" }, "search goes by words alone: the database has no pgvector");
    return wordsOnly("the database has no pgvector", forgetLearnt);
  }
  log.info({ search: embedder.name }, "search goes by words and similarity");
  return withCircuitBreaker(embedder, {
    ...(mode === "learnt" ? {} : { tidy: forgetLearnt }),
    onChange: (reason) => {
      if (reason === null) log.info({ search: embedder.name }, "similarity works again");
      else log.warn({ search: embedder.name, reason }, "similarity fails; search goes by words meanwhile");
    },
  });
}

async function createEmbedder(mode: Env["EMBEDDINGS"] & string, env: Settings) {
  const { EMBEDDINGS_URL: url, EMBEDDINGS_MODEL: model, EMBEDDINGS_KEY: key } = env;
  switch (mode) {
    case "off":
      return null;
    case "learnt":
      return learntEmbedder();
    case "endpoint":
      if (!url || !model)
        throw new SettingsError("EMBEDDINGS_URL and EMBEDDINGS_MODEL name the endpoint's model.");
      return modelEmbedder(endpointModel({ url, model, key }));
    case "local": {
      if (!model) throw new SettingsError("EMBEDDINGS_MODEL must name the directory of an ONNX model.");
      const { localModel } = await import("./local-model.js");
      return modelEmbedder(await localModel(model));
    }
  }
}
