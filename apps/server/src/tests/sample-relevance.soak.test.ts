import { createEmbedder } from "@minutes/search";
import { test } from "vitest";
import { createBuiltinModel } from "../search/builtin-model.js";
import { requireRelevance } from "../testing/relevance.js";

test("with the built-in model, questions about the sample company match, and nearly all nonsense has no results, or no match among few meetings", () =>
  requireRelevance({ refused: 28, matched: 1, matchedInFew: 1 }, createEmbedder(createBuiltinModel())));
