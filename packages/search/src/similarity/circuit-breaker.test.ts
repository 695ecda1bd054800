import { expect, onTestFinished, test } from "vitest";
import { withCircuitBreaker } from "./circuit-breaker.js";
import type { Embedder } from "./embedder.js";
import { EmbeddingError } from "./model.js";

test("a process that creates no vectors loads the model, and notices when it works again", async () => {
  let works = false;
  const embedder: Embedder = {
    name: "small",
    embedQuery: async () => {
      if (!works) throw new EmbeddingError("down");
      return { space: "small", vector: [1], scale: { unrelated: 0, weight: 1, limit: 1 } };
    },
    embedMeetings: async () => {
      throw new EmbeddingError("creates vectors");
    },
  };
  const changes: (string | null)[] = [];
  const search = withCircuitBreaker(embedder, { cooldown: 10, onChange: (reason) => changes.push(reason) });
  onTestFinished(search.startEmbedding(null));
  await expect.poll(() => changes).toEqual(["down"]);
  works = true;
  await expect.poll(() => changes).toEqual(["down", null]);
  expect(search.state().mode).toBe("similarity");
});
