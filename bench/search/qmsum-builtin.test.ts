import { findSearchBenchmark, needs } from "@minutes/testing";
import { test } from "vitest";
import { requireFloors } from "./floors.js";

/** At most a point below the default's results. Encoding the 35 meetings takes some minutes. */
const FLOORS = {
  "queries.jsonl": { all: { T1_mrr10: 68.6, T2_ndcg10: 43.4, T2_recall8kw: 74.2, T3_ndcg10: 65.6 } },
  "queries.para.jsonl": { all: { T1_mrr10: 48.7, T2_ndcg10: 20.4, T2_recall8kw: 50.2, T3_ndcg10: 53.5 } },
};

test(
  "by its defaults, search finds what was said in the meetings of QMSum, also asked in other words",
  {
    ...needs("searchbench"),
    timeout: 1_800_000,
  },
  () => requireFloors(findSearchBenchmark() ?? "", "builtin", FLOORS),
);
