import { createEmbedder } from "@minutes/search";
import { test } from "vitest";
import { createBuiltinModel } from "../search/builtin-model.js";
import { requireRelevance } from "../testing/relevance.js";

test("with the built-in model, 30 questions about the sample company have results, and nearly all nonsense has none", () =>
  requireRelevance(28, createEmbedder(createBuiltinModel())));
