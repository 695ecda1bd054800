import type { EmbeddingModel } from "@minutes/search";

/** Gives chunks random vectors, of the dimensions of the model's, and queries their own. */
export const withRandomChunks = (model: EmbeddingModel): EmbeddingModel => {
  let dimensions: Promise<number> | null = null;
  return {
    ...model,
    embed: async (texts, kind, signal) => {
      if (kind === "query") return model.embed(texts, kind, signal);
      dimensions ??= model.embed(["."], kind, signal).then(([vector]) => vector?.length ?? 0);
      const length = await dimensions;
      return texts.map(() => Array.from({ length }, () => Math.random() - 0.5));
    },
  };
};
