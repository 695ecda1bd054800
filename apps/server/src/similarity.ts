import { type Connection, hasVectors, schema } from "@minutes/db";
import {
  createEmbedder,
  createEndpointModel,
  createWordsOnlySearch,
  type EmbeddingModel,
  type SimilaritySearch,
  withCircuitBreaker,
} from "@minutes/search";
import type { Logger } from "pino";
import { createBuiltinModel } from "./builtin-model.js";
import { type Env, SettingsError } from "./env.js";

type Settings = Partial<Pick<Env, "EMBEDDINGS" | "EMBEDDINGS_URL" | "EMBEDDINGS_MODEL" | "EMBEDDINGS_KEY">>;

/** Milliseconds after the start until meetings get their vectors: the first requests have the processor to themselves. */
const DELAY = 10_000;

/**
 * Chooses how search goes, as the settings say: by words and the built-in model for English, unless another model is
 * named. A database without pgvector searches by words, and the log says so.
 * @param wrap stands before the model, as a benchmark's cache does
 * @throws SettingsError when a model is asked for and not named
 */
export async function createSimilaritySearch(
  env: Settings,
  { db }: Connection,
  log: Logger,
  wrap: (model: EmbeddingModel) => EmbeddingModel = (model) => model,
): Promise<SimilaritySearch> {
  const mode = env.EMBEDDINGS ?? (env.EMBEDDINGS_URL ? "endpoint" : "default");
  const chosen = await chooseModel(mode, env, async () => {
    const [settings] = await db.select().from(schema.searchSettings);
    return settings?.language ?? "english";
  });
  if (typeof chosen === "string") {
    log.info({ search: "words" }, `search goes by words: ${chosen}`);
    return createWordsOnlySearch(chosen);
  }
  if (!(await hasVectors(db))) {
    log.warn({ search: "words" }, "search goes by words: the database has no pgvector");
    return createWordsOnlySearch("the database has no pgvector");
  }
  log.info({ search: chosen.name }, "search goes by words and meaning");
  return withCircuitBreaker(createEmbedder(wrap(chosen)), {
    delay: DELAY,
    onChange: (reason) => {
      if (reason === null) log.info({ search: chosen.name }, "search goes by meaning again");
      else log.warn({ search: chosen.name, reason }, "the model fails; search goes by words meanwhile");
    },
  });
}

/** Chooses a model. @returns the model, or why search goes by words */
async function chooseModel(
  mode: NonNullable<Env["EMBEDDINGS"]> | "default",
  env: Settings,
  getLanguage: () => Promise<string>,
): Promise<EmbeddingModel | string> {
  const { EMBEDDINGS_URL: url, EMBEDDINGS_MODEL: model, EMBEDDINGS_KEY: key } = env;
  switch (mode) {
    case "off":
      return "EMBEDDINGS is off";
    case "default":
      return (await getLanguage()) === "english"
        ? createBuiltinModel()
        : "the built-in model knows English only, and SEARCH_LANGUAGE is another";
    case "builtin":
      return createBuiltinModel();
    case "endpoint":
      if (!url || !model)
        throw new SettingsError("EMBEDDINGS_URL and EMBEDDINGS_MODEL name the endpoint's model.");
      return createEndpointModel({ url, model, key });
    case "local": {
      if (!model) throw new SettingsError("EMBEDDINGS_MODEL must name the directory of an ONNX model.");
      const { loadLocalModel } = await import("./local-model.js");
      return loadLocalModel(model);
    }
  }
}
