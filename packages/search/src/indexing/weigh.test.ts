import { expect, test } from "vitest";
import { weighTerms } from "./weigh.js";

/** What a term weighs in each of five chunks of 100 words; it is said once, in the third of them. */
function weightsOf(place: number): number[] {
  const chunks = [0, 1, 2, 3, 4].map((at) => ({
    spoken: new Map([["talk", [1, 50, 100]], ...(at === 2 ? ([["wombat", [place]]] as const) : [])]),
    context: [],
  }));
  const posting = weighTerms(chunks).find(({ term }) => term === "wombat");
  const weights = [0, 0, 0, 0, 0];
  posting?.weights.forEach((weight, nth) => {
    weights[posting.first + nth] = weight;
  });
  return weights;
}

test("what is said after a word belongs to it more than what was said before", () => {
  const [first = 0, before = 0, own = 0, after = 0, last = 0] = weightsOf(50);
  expect(own).toBeGreaterThan(after);
  expect(after).toBeGreaterThan(before);
  expect(last).toBeGreaterThan(first);
});

test("the later a word is said in its chunk, the more of it reaches the next and the less the one before", () => {
  const early = weightsOf(1);
  const late = weightsOf(100);
  expect(late[3]).toBeGreaterThan(early[3] ?? 0);
  expect(late[1]).toBeLessThan(early[1] ?? 0);
  expect(late[2]).toBe(early[2]);
});

test("a meeting in which every word is new is weighed in the time that its words take", () => {
  const chunks = Array.from({ length: 10_000 }, (_, chunk) => ({
    spoken: new Map(Array.from({ length: 30 }, (_, word) => [`${chunk}-${word}`, [word + 1]] as const)),
    context: [],
  }));
  const postings = weighTerms(chunks);
  expect(postings).toHaveLength(300_000);
  const middle = postings.find(({ term }) => term === "5000-7");
  expect(middle).toMatchObject({ chunks: 1, places: [5_000 * 512 + 8] });
  // Its weight is greatest where it was said, and reaches the few chunks around.
  expect(middle?.weights[5_000 - middle.first]).toBe(middle?.best);
  expect(middle?.weights.length).toBeLessThan(10);
});
