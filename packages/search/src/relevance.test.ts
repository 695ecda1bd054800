import { expect, test } from "vitest";
import { classifyChunks } from "./relevance.js";

const SCALE = { unrelated: 0.06, weight: 1.25, limit: 0.24 };
const chunk = (coverage: number, similarity: number, others = {}) => ({
  ...{ score: coverage + similarity, coverage, similarity },
  isCompared: true,
  visibleChunks: 1_000,
  ...others,
});
const classify = (chunks: Parameters<typeof classifyChunks>[0], scale: typeof SCALE | undefined = SCALE) =>
  classifyChunks(chunks, scale).map(({ relevance }) => relevance);

test("a result is a match if it has enough evidence itself, and an answer with too little is empty", () => {
  expect(classify([chunk(0.1, 0.2), chunk(0, 0.2)])).toEqual(["match", "related"]);
  expect(classify([chunk(0.05, 0.16), chunk(0, 0.21)])).toEqual([]);
  expect(classify([])).toEqual([]);
});

test("words alone and meaning alone can make a match", () => {
  expect(classify([chunk(0.4, 0)])).toEqual(["match"]);
  expect(classify([chunk(0, 0.4)])).toEqual(["match"]);
});

test("if no chunk has the query's words, meaning must be nearer", () => {
  expect(classify([chunk(0, 0.27), chunk(0.13, 0)])).toEqual(["match", "related"]);
  expect(classify([chunk(0, 0.27), chunk(0.05, 0)])).toEqual(["related", "related"]);
  expect(classify([chunk(0, 0.27), chunk(0.04, 0)])).toEqual([]);
});

test("without a model, a chunk is judged by its words, and few words are no match", () => {
  const lexical = [0.13, 0.06, 0.05].map((coverage) => chunk(coverage, 0, { isCompared: false }));
  const rate = (from: number) =>
    classifyChunks(lexical.slice(from), undefined).map(({ relevance }) => relevance);
  expect(rate(0)).toEqual(["match", "related", "related"]);
  expect(rate(1)).toEqual(["related", "related"]);
  expect(rate(2)).toEqual([]);
});

test("a chunk without a vector is judged by its words, whatever similarity was assumed", () => {
  expect(classify([chunk(0.13, 0, { isCompared: false })])).toEqual(["match"]);
  expect(classify([chunk(0.05, 0.5, { isCompared: false })])).toEqual(["related"]);
  expect(classify([chunk(0.04, 0.5, { isCompared: false })])).toEqual([]);
});

test("an uninformative model refuses nothing that words find", () => {
  expect(classify([chunk(0.05, 0)], { unrelated: 0, weight: 0, limit: 0 })).toEqual(["related"]);
  expect(classify([chunk(0.13, 0)], { unrelated: 0, weight: 0, limit: 0 })).toEqual(["match"]);
});

test("among few chunks, less evidence keeps a result, but a match needs as much as among many", () => {
  expect(classify([chunk(0.01, 0.05, { visibleChunks: 10 })])).toEqual(["related"]);
  expect(classify([chunk(0.1, 0.2, { visibleChunks: 10 })])).toEqual(["match"]);
  expect(classify([chunk(0, 0, { visibleChunks: 10 })])).toEqual([]);
  expect(classifyChunks([chunk(0.05, 0, { visibleChunks: 10 })], undefined)).toMatchObject([
    { relevance: "related" },
  ]);
});

test("next to a much better result, one that would match on its own is only related", () => {
  expect(classify([chunk(0.7, 0.3), chunk(0, 0.27)])).toEqual(["match", "related"]);
  expect(classify([chunk(0.5, 0.3), chunk(0, 0.27)])).toEqual(["match", "match"]);
});
