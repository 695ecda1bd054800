import { findSearchBenchmark, needs } from "@minutes/testing";
import { test } from "vitest";
import { requireFloors } from "./floors.js";

/** A point below the results of lexical search with expansions; `qmsum-builtin.test.ts` covers the built-in model. */
const FLOORS = {
  "queries.jsonl": {
    all: { T1_mrr10: 67.2, T2_ndcg10: 41.2, T2_recall8kw: 70.2, T3_ndcg10: 62.5 },
    kinds: { T1_mrr10: 71, T2_ndcg10: 45, T2_recall8kw: 72, T3_ndcg10: 61 },
  },
  "queries.para.jsonl": { all: { T1_mrr10: 37.7, T2_ndcg10: 11.8, T2_recall8kw: 34.2, T3_ndcg10: 40.6 } },
};

test(
  "by words, search finds what was said in the meetings of QMSum, also asked in other words",
  {
    ...needs("searchbench"),
    timeout: 300_000,
  },
  () => requireFloors(findSearchBenchmark() ?? "", "words", FLOORS),
);
