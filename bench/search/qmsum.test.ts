import { findSearchBenchmark, needs } from "@minutes/testing";
import { test } from "vitest";
import { requireFloors } from "./floors.js";

/** A point below what is measured by words and expansions; the built-in model is held by `qmsum.soak.test.ts`. */
const FLOORS = {
  "queries.jsonl": {
    all: { T1_mrr10: 67, T2_ndcg10: 41, T2_recall8kw: 70, T3_ndcg10: 62 },
    kinds: { T1_mrr10: 71, T2_ndcg10: 45, T2_recall8kw: 72, T3_ndcg10: 61 },
  },
  "queries.para.jsonl": { all: { T1_mrr10: 37.5, T2_ndcg10: 11.5, T2_recall8kw: 34, T3_ndcg10: 40.5 } },
};

test(
  "by words, search finds what was said in the meetings of QMSum, also asked in other words",
  {
    ...needs("searchbench"),
    timeout: 300_000,
  },
  () => requireFloors(findSearchBenchmark() ?? "", "words", FLOORS),
);
