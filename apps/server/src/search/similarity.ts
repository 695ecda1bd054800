import { resolve } from "node:path";
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
import { type Config, SettingsError } from "../config/config.js";
import { createBuiltinModel } from "./builtin-model.js";
import { MODELS } from "./models/catalogue.js";
import { getModelDirectory, isInstalled } from "./models/download.js";
import { createReloadableSearch, type ReloadableSearch } from "./reloadable-search.js";

type Settings = Partial<
  Pick<Config, "DATA_DIR" | "EMBEDDINGS" | "EMBEDDINGS_URL" | "EMBEDDINGS_MODEL" | "EMBEDDINGS_KEY">
>;

/** Delay in ms after the start before vectors are created, so that the first requests get the CPU. */
const DELAY = 10_000;

/** Returns the configured model; null if the database decides. */
export const getFixedModel = (config: Settings): NonNullable<Config["EMBEDDINGS"]> | null =>
  config.EMBEDDINGS ?? (config.EMBEDDINGS_URL ? "endpoint" : null);

/** Returns the directory of models downloaded by `minutes embeddings use`. */
export const getModelsDirectory = (config: Settings): string => resolve(config.DATA_DIR ?? "data", "models");

/** Returns true if `minutes embeddings use` can choose this model on this machine: it is built in or downloaded. */
export async function isModelReady(config: Settings, name: string): Promise<boolean> {
  if (name === "builtin" || name === "off") return true;
  const model = MODELS.find((one) => one.name === name);
  return model !== undefined && isInstalled(getModelsDirectory(config), model);
}

/**
 * Chooses the search mode: the configured model, else the one chosen with `minutes embeddings use`, else the built-in
 * model if the search language is English. Without pgvector, search uses words only and logs it.
 * @param wrap wraps the model, for example with a benchmark's cache
 * @param delay delay in ms before vectors are created
 * @throws SettingsError if the configured model can't be used
 */
export async function createSimilaritySearch(
  config: Settings,
  { db }: Pick<Connection, "db">,
  log: Logger,
  wrap: (model: EmbeddingModel) => EmbeddingModel = (model) => model,
  delay = DELAY,
): Promise<ReloadableSearch> {
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
        else log.warn({ search: name, reason }, "the model fails; search goes by words until it recovers");
      },
    });
  };
  const fixed = getFixedModel(config);
  return createReloadableSearch(async () => {
    if (fixed) return { key: fixed, build: async () => build(await loadFixedModel(fixed, config)) };
    const { language, model } = await readChoice(db);
    return {
      key: `${model} ${language} ${model !== null && (await isModelReady(config, model))}`,
      build: async () => build(await loadChosenModel(model, language, config)),
    };
  });
}

/** Reads the search language, and the model chosen with `minutes embeddings use`. */
async function readChoice(db: Database): Promise<{ language: string; model: string | null }> {
  const [row] = await db.select().from(schema.searchSettings);
  return { language: row?.language ?? "english", model: row?.model ?? null };
}

/**
 * Loads the configured model. @returns the model, or the reason for lexical search
 * @throws SettingsError if it can't be used
 */
export async function loadFixedModel(
  mode: NonNullable<Config["EMBEDDINGS"]>,
  config: Settings,
): Promise<EmbeddingModel | string> {
  const { EMBEDDINGS_URL: url, EMBEDDINGS_MODEL: model, EMBEDDINGS_KEY: key } = config;
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

/**
 * Loads the model chosen in the database. @returns the model, or the reason for lexical search: a start never fails
 * because of it
 */
async function loadChosenModel(
  chosen: string | null,
  language: string,
  config: Settings,
): Promise<EmbeddingModel | string> {
  if (chosen === "off") return "`minutes embeddings off` was run";
  if (chosen === "builtin") return createBuiltinModel();
  if (chosen === null)
    return language === "english"
      ? createBuiltinModel()
      : "the built-in model knows English only, and SEARCH_LANGUAGE is another";
  const models = getModelsDirectory(config);
  const model = MODELS.find(({ name }) => name === chosen);
  const missing = `${chosen} is not on this machine: run \`minutes embeddings use ${chosen}\` here`;
  if (!model || !(await isInstalled(models, model))) return missing;
  try {
    const { loadLocalModel } = await import("./local-model.js");
    return await loadLocalModel(getModelDirectory(models, model), {
      quantized: true,
      prefixes: model.prefixes,
    });
  } catch {
    return `${chosen} can't be loaded, because a file is damaged or its runtime is missing: run \`minutes embeddings use ${chosen}\` here`;
  }
}
