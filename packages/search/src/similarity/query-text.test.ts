import { expect, test } from "vitest";
import { withoutQuestionWords } from "./query-text.js";

test.each([
  ["What did Marketing think about the costs of the case?", "the costs of the case"],
  ["Summarize the discussion about remote controls.", "the remote controls"],
  ["C's opinion on the price", "on the price"],
  ["budget", "budget"],
  ["What did she say?", "she"],
  ["What was discussed?", "What was discussed?"],
  // No English question word, so capitals can belong to any noun.
  ["Kosten der Turbinen", "Kosten der Turbinen"],
])("%s", (query, rest) => {
  expect(withoutQuestionWords(query)).toBe(rest);
});
