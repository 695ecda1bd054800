import { join, resolve } from "node:path";
import { type Connection, type Database, hasVectors, schema } from "@minutes/db";
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
import { listModels } from "./models/catalogue.js";
import { getModelDirectory, isInstalled } from "./models/download.js";
import { createSwitchableSearch, type SwitchableSearch } from "./switchable-search.js";

type Settings = Partial<
  Pick<
    Env,
    | "DATA_DIR"
    | "EMBEDDINGS"
    | "EMBEDDINGS_URL"
    | "EMBEDDINGS_MODEL"
    | "EMBEDDINGS_KEY"
    | "EMBEDDINGS_DIR"
    | "EMBEDDINGS_LIST"
  >
>;

/** Milliseconds after the start until meetings get their vectors: the first requests have the processor to themselves. */
const DELAY = 10_000;

/** Reads what the settings say of the model; null where the database decides. */
export const getFixedModel = (env: Settings): NonNullable<Env["EMBEDDINGS"]> | null =>
  env.EMBEDDINGS ?? (env.EMBEDDINGS_URL ? "endpoint" : null);

/** Returns the directory of the models that `minutes embeddings use` downloads. */
export const getModelsDirectory = (env: Settings): string =>
  resolve(env.EMBEDDINGS_DIR ?? join(env.DATA_DIR ?? "data", "models"));

/** Tells whether `minutes embeddings use` may choose this model on this machine: it comes with the server, or its files are here. */
export async function isModelReady(env: Settings, name: string): Promise<boolean> {
  if (name === "builtin" || name === "off") return true;
  const model = listModels(env.EMBEDDINGS_LIST).find((one) => one.name === name);
  return model !== undefined && isInstalled(getModelsDirectory(env), model);
}

/**
 * Chooses how search goes: by the model that the settings name, or else by the one that `minutes embeddings use` chose,
 * or else by the built-in model, where the search language is English. A database without pgvector searches by words,
 * and the log says so.
 * @param wrap stands before the model, as a benchmark's cache does
 * @param delay milliseconds until meetings get their vectors
 * @throws SettingsError when the settings ask for a model and don't name one that can be used
 */
export async function createSimilaritySearch(
  env: Settings,
  { db }: Pick<Connection, "db">,
  log: Logger,
  wrap: (model: EmbeddingModel) => EmbeddingModel = (model) => model,
  delay = DELAY,
): Promise<SwitchableSearch> {
  const build = async (model: EmbeddingModel | string): Promise<SimilaritySearch> => {
    if (typeof model === "string") {
      log.info({ search: "words" }, `search goes by words: ${model}`);
      return createWordsOnlySearch(model);
    }
    if (!(await hasVectors(db))) {
      log.warn({ search: "words" }, "search goes by words: the database has no pgvector");
      return createWordsOnlySearch("the database has no pgvector");
    }
    const { name } = model;
    log.info({ search: name }, "search goes by words and meaning");
    return withCircuitBreaker(createEmbedder(wrap(model)), {
      startDelay: delay,
      onChange: (reason) => {
        if (reason === null) log.info({ search: name }, "search goes by meaning again");
        else log.warn({ search: name, reason }, "the model fails; search goes by words meanwhile");
      },
    });
  };
  const fixed = getFixedModel(env);
  return createSwitchableSearch(async () => {
    if (fixed) return { key: fixed, build: async () => build(await loadFixedModel(fixed, env)) };
    const { language, model } = await readChoice(db);
    return {
      key: `${model} ${language} ${model !== null && (await isModelReady(env, model))}`,
      build: async () => build(await loadChosenModel(model, language, env)),
    };
  });
}

/** Reads the search language, and the model that `minutes embeddings use` chose. */
async function readChoice(db: Database): Promise<{ language: string; model: string | null }> {
  const [row] = await db.select().from(schema.searchSettings);
  return { language: row?.language ?? "english", model: row?.model ?? null };
}

/** Loads the model that the settings name. @returns the model, or why search goes by words */
async function loadFixedModel(
  mode: NonNullable<Env["EMBEDDINGS"]>,
  env: Settings,
): Promise<EmbeddingModel | string> {
  const { EMBEDDINGS_URL: url, EMBEDDINGS_MODEL: model, EMBEDDINGS_KEY: key } = env;
  switch (mode) {
    case "off":
      return "EMBEDDINGS is off";
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

/** Loads the model that the database names. @returns the model, or why search goes by words: a start never fails for it */
async function loadChosenModel(
  chosen: string | null,
  language: string,
  env: Settings,
): Promise<EmbeddingModel | string> {
  if (chosen === "off") return "`minutes embeddings off` was run";
  if (chosen === "builtin") return createBuiltinModel();
  if (chosen === null)
    return language === "english"
      ? createBuiltinModel()
      : "the built-in model knows English only, and SEARCH_LANGUAGE is another";
  const models = getModelsDirectory(env);
  const model = listModels(env.EMBEDDINGS_LIST).find(({ name }) => name === chosen);
  const missing = `${chosen} is not on this machine: run \`minutes embeddings use ${chosen}\` here`;
  if (!model || !(await isInstalled(models, model))) return missing;
  try {
    const { loadLocalModel } = await import("./local-model.js");
    return await loadLocalModel(getModelDirectory(models, model), {
      quantized: true,
      prefixes: model.prefixes,
    });
  } catch {
    return missing;
  }
}
