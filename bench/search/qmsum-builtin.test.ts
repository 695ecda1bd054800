import { findSearchBenchmark, needs } from "@minutes/testing";
import { test } from "vitest";
import { requireFloors } from "./floors.js";

/** The results for every third meeting, less 0.6. `qmsum-builtin.soak.test.ts` has the floors for all meetings. */
const FLOORS = {
  "queries.jsonl": { all: { T1_mrr10: 76.5, T2_ndcg10: 44.85, T2_recall8kw: 83.7, T3_ndcg10: 61.85 } },
  "queries.para.jsonl": { all: { T1_mrr10: 63.6, T2_ndcg10: 25.75, T2_recall8kw: 66.05, T3_ndcg10: 49.25 } },
};

test(
  "by its defaults, search finds what was said in a third of the meetings of QMSum, also asked in other words",
  {
    ...needs("searchbench"),
    timeout: 900_000,
  },
  () => requireFloors(findSearchBenchmark() ?? "", "builtin", FLOORS, { every: 3 }),
);
