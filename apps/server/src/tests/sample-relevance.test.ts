import { test } from "vitest";
import { requireRelevance } from "../testing/relevance.js";

test("by words, 30 questions about the sample company have results, and most nonsense has none", () =>
  requireRelevance(22));
