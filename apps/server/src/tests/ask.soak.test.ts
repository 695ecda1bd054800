import { createEmbedder } from "@minutes/search";
import { test } from "vitest";
import { createBuiltinModel } from "../search/builtin-model.js";
import { requireAnswers } from "../testing/asked-questions.js";

test("with the built-in model, 85 % of 40 questions show the right turn, and 90 % of 20 others are refused", () =>
  requireAnswers(createEmbedder(createBuiltinModel())));
