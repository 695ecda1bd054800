import { expect, test } from "vitest";
import { weighTerms } from "./weigh.js";

test("a meeting in which every word is new is weighed in the time that its words take", () => {
  const chunks = Array.from({ length: 10_000 }, (_, chunk) => ({
    spoken: new Map(Array.from({ length: 30 }, (_, word) => [`${chunk}-${word}`, [word + 1]] as const)),
    context: [],
  }));
  const postings = weighTerms(chunks);
  expect(postings).toHaveLength(300_000);
  const middle = postings.find(({ term }) => term === "5000-7");
  expect(middle).toMatchObject({ chunks: 1, places: [5_000 * 512 + 8] });
  // Its weight reaches as far to either side, and is greatest where it was said.
  expect(middle && middle.first + (middle.weights.length - 1) / 2).toBe(5_000);
  expect(middle?.weights[(middle.weights.length - 1) / 2]).toBe(middle?.best);
});
