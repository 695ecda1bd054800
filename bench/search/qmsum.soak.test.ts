import { findSearchBenchmark, needs } from "@minutes/testing";
import { test } from "vitest";
import { requireFloors } from "./floors.js";

/** A point or less below what is measured by default. Encoding the 35 meetings takes some minutes. */
const FLOORS = {
  "queries.jsonl": { all: { T1_mrr10: 67, T2_ndcg10: 41.2, T2_recall8kw: 72, T3_ndcg10: 65.6 } },
  "queries.para.jsonl": { all: { T1_mrr10: 45.2, T2_ndcg10: 17, T2_recall8kw: 46.3, T3_ndcg10: 48.8 } },
};

test(
  "by its defaults, search finds what was said in the meetings of QMSum, also asked in other words",
  {
    ...needs("searchbench"),
    timeout: 1_800_000,
  },
  () => requireFloors(findSearchBenchmark() ?? "", "builtin", FLOORS),
);
