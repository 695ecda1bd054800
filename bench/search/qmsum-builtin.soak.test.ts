import { findSearchBenchmark, needs } from "@minutes/testing";
import { test } from "vitest";
import { requireFloors } from "./floors.js";

/** The aims of the default mode, less rounding. Encoding the 35 meetings takes eight minutes of a core. */
const FLOORS = {
  "queries.jsonl": { all: { T1_mrr10: 68.65, T2_ndcg10: 43.75, T2_recall8kw: 74.25, T3_ndcg10: 66.55 } },
  "queries.para.jsonl": { all: { T1_mrr10: 48.95, T2_ndcg10: 20.55, T2_recall8kw: 50.65, T3_ndcg10: 53.55 } },
};

test(
  "by its defaults, search finds what was said in the meetings of QMSum, also asked in other words",
  {
    ...needs("searchbench"),
    timeout: 1_800_000,
  },
  () => requireFloors(findSearchBenchmark() ?? "", "builtin", FLOORS),
);
