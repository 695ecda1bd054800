import { expect, test } from "vitest";
import { RANKING } from "../ranking.js";
import { toUnitLength } from "./embedder.js";
import { measureScale } from "./measure-scale.js";
import { SCALE_TEXTS } from "./scale-texts.js";

const DIMENSIONS = 384;
/** Creates a source of vectors that are the same in each run. */
function createRandomVectors(): () => number[] {
  let state = 1;
  const next = () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return state / 0x7fffffff - 0.5;
  };
  return () => Array.from({ length: DIMENSIONS }, next);
}
const topicOf = (text: string) => SCALE_TEXTS.findIndex((pair) => pair.includes(text));
const add = (left: readonly number[], right: readonly number[], factor: number) =>
  left.map((value, at) => value + factor * (right[at] ?? 0));

/** A model in which texts of one topic share a part, and all texts share another. */
function createModel(shared: number, topical: number) {
  const random = createRandomVectors();
  const topics = SCALE_TEXTS.map(random);
  const common = random();
  return async (texts: readonly string[]) =>
    texts.map((text) =>
      toUnitLength(add(add(random(), topics[topicOf(text)] ?? [], topical), common, shared)),
    );
}

test("an uninformative model gets almost no weight, and a relevance limit below that for words", async () => {
  const { unrelated, weight, limit } = await measureScale(createModel(0, 0));
  expect(unrelated).toBeCloseTo(0, 1);
  expect(Math.abs(weight)).toBeLessThan(0.2);
  expect(limit).toBeLessThan(RANKING.relevance.words);
});

test("a component common to all vectors changes the scale, but not the effect of similarity", async () => {
  const plain = await measureScale(createModel(0, 1));
  const narrow = await measureScale(createModel(4, 1));
  expect(narrow.unrelated).toBeGreaterThan(0.8);
  expect(plain.weight).toBeGreaterThan(1);
  // The differences between cosines are smaller by so much as the weight is larger.
  expect(narrow.weight).toBeGreaterThan(3 * plain.weight);
  // The limit is in units of coverage, so it stays.
  expect(narrow.limit / plain.limit).toBeCloseTo(1, 0);
  expect(plain.limit).toBeGreaterThan(RANKING.relevance.words);
});

test("a model that can't tell texts apart gets no weight", async () => {
  expect(await measureScale(async (texts) => texts.map(() => [1, 0]))).toEqual({
    unrelated: 1,
    weight: 0,
    limit: 0,
  });
});
