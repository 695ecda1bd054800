import { expect, test } from "vitest";
import { classifyChunks } from "./relevance.js";

const SCALE = { unrelated: 0.06, weight: 1.25, limit: 0.24 };
const chunk = (coverage: number, similarity: number, others = {}) => ({
  coverage,
  similarity,
  isCompared: true,
  visibleChunks: 1_000,
  ...others,
});
const classify = (chunks: Parameters<typeof classifyChunks>[0], scale: typeof SCALE | undefined = SCALE) =>
  classifyChunks(chunks, scale).map(({ relevance }) => relevance);

test("an answer with a match is complete, and one without is empty", () => {
  expect(classify([chunk(0.1, 0.2), chunk(0, 0.2)])).toEqual(["match", "related"]);
  expect(classify([chunk(0.05, 0.16), chunk(0, 0.21)])).toEqual([]);
  expect(classify([])).toEqual([]);
});

test("words alone and meaning alone can make a match", () => {
  expect(classify([chunk(0.4, 0)])).toEqual(["match"]);
  expect(classify([chunk(0, 0.4)])).toEqual(["match"]);
});

test("if no chunk has the query's words, meaning must be nearer", () => {
  expect(classify([chunk(0, 0.27), chunk(0.05, 0)])).toEqual(["match", "related"]);
  expect(classify([chunk(0, 0.27), chunk(0.04, 0)])).toEqual([]);
});

test("without a model, a chunk is judged by its words", () => {
  const lexical = [chunk(0.06, 0, { isCompared: false }), chunk(0.05, 0, { isCompared: false })];
  expect(classifyChunks(lexical, undefined).map(({ relevance }) => relevance)).toEqual(["match", "related"]);
  expect(classifyChunks(lexical.slice(1), undefined)).toEqual([]);
});

test("a chunk without a vector is judged by its words, whatever similarity was assumed", () => {
  expect(classify([chunk(0.05, 0, { isCompared: false })])).toEqual(["match"]);
  expect(classify([chunk(0.04, 0.5, { isCompared: false })])).toEqual([]);
});

test("an uninformative model refuses nothing that words find", () => {
  expect(classify([chunk(0.05, 0)], { unrelated: 0, weight: 0, limit: 0 })).toEqual(["match"]);
});

test("among few chunks, where rarity says little, less is needed", () => {
  expect(classify([chunk(0.01, 0.05, { visibleChunks: 10 })])).toEqual(["match"]);
  expect(classify([chunk(0, 0, { visibleChunks: 10 })])).toEqual([]);
});
