import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";

/**
 * `pnpm bench:search:splits <out> <out> [<out> …] [--setup postgres-builtin]`
 *
 * Says how well a setting of the ranking does on questions that it was not chosen by. Each directory is the `--out` of a
 * run with other numbers. Ten times the questions are cut into two random halves: the setting that is best on one half,
 * over all metrics and both sets of questions, is measured on the other. Prints means and ranges of the ten.
 */
const METRICS = ["T1_mrr10", "T2_ndcg10", "T2_recall8kw", "T3_ndcg10"] as const;
const SETS = ["own", "para"] as const;
const SPLITS = 10;

type Scores = ReadonlyMap<string, readonly number[]>;

const { values, positionals: directories } = parseArgs({
  allowPositionals: true,
  options: { setup: { type: "string", default: "postgres-builtin" } },
});

if (directories.length < 2) {
  console.error("pnpm bench:search:splits <out> <out> [<out> …] [--setup postgres-builtin]");
  process.exit(2);
}
const settings = directories.map((directory) => ({
  directory,
  scores: SETS.map((set) => readScores(join(directory, `${values.setup}-${set}`, "queries.jsonl"))),
}));
const ids = [...(settings[0]?.scores[0]?.keys() ?? [])];

/** Reads the scores of each question from the evaluator, 100 ×. */
function readScores(file: string): Scores {
  const lines = readFileSync(file, "utf8").split("\n").filter(Boolean);
  return new Map(
    lines.map((line) => {
      const row = JSON.parse(line) as Record<string, number | string>;
      return [String(row.queryId ?? row.id), METRICS.map((metric) => 100 * Number(row[metric]))];
    }),
  );
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
const computeMeans = (scores: readonly Scores[], questions: readonly string[]) =>
  scores.flatMap((set) => METRICS.map((_, at) => mean(questions.map((id) => set.get(id)?.[at] ?? 0))));

/** Creates a reproducible random generator from 0 to 1. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return state / 0x7fffffff;
  };
}

const random = createRandom(1);
const shuffle = (values: readonly string[]) =>
  values
    .map((value) => [random(), value] as const)
    .sort(([left], [right]) => left - right)
    .map(([, value]) => value);

const chosen = new Map<string, number>();
const results = Array.from({ length: SPLITS }, () => {
  const order = shuffle(ids);
  const halves = [order.slice(0, order.length / 2), order.slice(order.length / 2)] as const;
  const tested = [halves, [halves[1], halves[0]] as const].map(([choice, test]) => {
    const sums = settings.map(({ scores }) =>
      computeMeans(scores, choice).reduce((sum, value) => sum + value, 0),
    );
    const best = settings[sums.indexOf(Math.max(...sums))] as (typeof settings)[number];
    chosen.set(best.directory, (chosen.get(best.directory) ?? 0) + 1);
    return computeMeans(best.scores, test).map((value) => (value * test.length) / ids.length);
  });
  return (tested[0] ?? []).map((value, at) => value + (tested[1]?.[at] ?? 0));
});

for (const { directory, scores } of settings) {
  const means = computeMeans(scores, ids).map((value) => value.toFixed(1));
  console.log(`${directory}: ${means.slice(0, 4).join(" / ")}, in other words ${means.slice(4).join(" / ")}`);
}
SETS.forEach((set, nth) => {
  const columns = METRICS.map((_, at) => results.map((row) => row[4 * nth + at] ?? 0));
  const text = columns.map(
    (column) =>
      `${mean(column).toFixed(1)} (${Math.min(...column).toFixed(1)}–${Math.max(...column).toFixed(1)})`,
  );
  console.log(`${SPLITS} splits, ${set}: ${text.join(" / ")}`);
});
console.log("chosen", Object.fromEntries(chosen));
