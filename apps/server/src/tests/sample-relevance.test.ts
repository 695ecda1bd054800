import { test } from "vitest";
import { requireRelevance } from "../testing/relevance.js";

test("by words, questions about the sample company match, most nonsense has no results, and hardly any matches", () =>
  requireRelevance({ refused: 22, matched: 1, matchedInFew: 1 }));
