import { z } from "zod";
import { choice, count, httpUrl, type SettingsGroup, text } from "./rules.js";

const embeddings = choice("builtin", "endpoint", "local", "off");

export const SEARCH = {
  title: "Search and summaries",
  settings: {
    SEARCH_LANGUAGE: {
      schema: z
        .string()
        .regex(/^[a-z_]+$/)
        .optional(),
      must: "a text-search configuration of the database such as english, german or simple",
      text: "Text-search configuration for meetings ([languages](models.md#languages)).",
      unset: "`english`",
      example: "english",
    },
    EMBEDDINGS: {
      ...embeddings,
      schema: embeddings.schema.optional(),
      text: "Model for search by meaning: `builtin`, `endpoint`, `local` or `off`.",
      unset: "`builtin` (English)",
      example: "builtin",
    },
    EMBEDDINGS_URL: {
      schema: httpUrl.optional(),
      must: "the address of an OpenAI-compatible API such as http://127.0.0.1:11434/v1",
      text: "An OpenAI-compatible `/v1/embeddings`, for `endpoint`.",
      example: "http://127.0.0.1:11434/v1",
    },
    EMBEDDINGS_MODEL: {
      schema: text.optional(),
      must: "the name of an embedding model",
      text: "The endpoint's model; for `local`, its directory.",
      example: "nomic-embed-text",
    },
    EMBEDDINGS_KEY: {
      schema: text.optional(),
      must: "the key of the embeddings endpoint",
      text: "The endpoint's API key.",
      example: "replace-me",
    },
    EMBEDDINGS_MIRROR: {
      schema: httpUrl.default("https://huggingface.co"),
      must: "the address from which models are downloaded, such as https://huggingface.co",
      text: "Where `minutes embeddings use` downloads models.",
    },
    SUMMARISER_URL: {
      schema: httpUrl.optional(),
      must: "the base address of an OpenAI-compatible API, such as https://llm.example.com/v1",
      text: "An OpenAI-compatible API that writes summaries ([ingest](ingest.md#let-a-model-write-summaries)) and answers ([search](search.md#answers-by-a-model)).",
      example: "https://llm.example.com/v1",
    },
    SUMMARISER_MODEL: {
      schema: text.optional(),
      must: "the name of the summariser's model",
      text: "Its model.",
      example: "small",
    },
    SUMMARISER_KEY: {
      schema: text.optional(),
      must: "the summariser's API key",
      text: "Its API key.",
      example: "replace-me",
    },
    ANSWERS_PER_DAY: {
      ...count("answers", 0, 100_000, 100),
      text: "Maximum number of answers that the model writes per person and day. `0`: it writes none.",
    },
    ANSWER_TOKENS_PER_DAY: {
      ...count("tokens", 0, 1_000_000_000, 500_000),
      text: "Maximum number of tokens for these answers, estimated, rather too many.",
    },
  },
} as const satisfies SettingsGroup;
