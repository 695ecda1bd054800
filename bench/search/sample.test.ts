import { requireAnswers } from "@minutes/server/testing";
import { test } from "vitest";

test("by words, 85 % of 40 questions about the sample show the right turn, and 90 % of 20 others are refused", () =>
  requireAnswers());
