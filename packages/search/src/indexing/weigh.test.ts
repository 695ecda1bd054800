import { finish } from "@minutes/testing";
import { expect, test } from "vitest";
import { weighTerms } from "./weigh.js";

/** Weighs a term that occurs once, in the third of five chunks of 100 words. */
function weightsOf(place: number): number[] {
  const chunks = [0, 1, 2, 3, 4].map((at) => ({
    spoken: new Map([["talk", [1, 50, 100]], ...(at === 2 ? ([["wombat", [place]]] as const) : [])]),
    context: [],
  }));
  const posting = finish(weighTerms(chunks)).find(({ term }) => term === "wombat");
  const weights = [0, 0, 0, 0, 0];
  posting?.weights.forEach((weight, nth) => {
    weights[posting.first + nth] = weight;
  });
  return weights;
}

test("text after a word belongs to it more than text before it", () => {
  const [first = 0, before = 0, own = 0, after = 0, last = 0] = weightsOf(50);
  expect(own).toBeGreaterThan(after);
  expect(after).toBeGreaterThan(before);
  expect(last).toBeGreaterThan(first);
});

test("the later a word occurs in its chunk, the more of it reaches the next chunk and the less the previous one", () => {
  const early = weightsOf(1);
  const late = weightsOf(100);
  expect(late[3]).toBeGreaterThan(early[3] ?? 0);
  expect(late[1]).toBeLessThan(early[1] ?? 0);
  expect(late[2]).toBe(early[2]);
});

test("weighing a meeting without repeated words takes linear time", () => {
  const chunks = Array.from({ length: 1_000 }, (_, chunk) => ({
    spoken: new Map(Array.from({ length: 30 }, (_, word) => [`${chunk}-${word}`, [word + 1]] as const)),
    context: [],
  }));
  const postings = finish(weighTerms(chunks));
  expect(postings).toHaveLength(30_000);
  const middle = postings.find(({ term }) => term === "500-7");
  expect(middle).toMatchObject({ chunks: 1, places: [500 * 512 + 8] });
  // The weight peaks at the occurrence and reaches a few chunks around it.
  expect(middle?.weights[500 - middle.first]).toBe(middle?.best);
  expect(middle?.weights.length).toBeLessThan(10);
});
