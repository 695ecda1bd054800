import { describe, expect, test } from "vitest";
import { make, PARSERS, type Parser, PIECES } from "../testing/parsers.js";

const quietly = (run: () => unknown) => {
  try {
    run();
  } catch {
    // A refusal takes time as well.
  }
};

/** Returns the minimum CPU time of several runs in ms: other load on the machine only adds to it. */
function leastTime(run: () => unknown, times: number): number {
  let least = Number.POSITIVE_INFINITY;
  for (let at = 0; at < times; at++) {
    const begun = process.cpuUsage();
    quietly(run);
    const { user } = process.cpuUsage(begun);
    least = Math.min(least, user / 1000);
  }
  return least;
}

/** Time in ms below which a measurement says nothing about growth. */
const NOISE = 20;

const MOST_GROWTH = 9;

/**
 * Requires that 4 times the text takes less than 9 times as long: linear growth is 4-fold, quadratic 16-fold. Compilation and
 * garbage collection can make one step look steep, so growth that isn't linear has to appear at two steps in a row.
 */
function expectLinear(name: string, { length, run }: Parser, write: (length: number) => string): void {
  if (leastTime(() => run(write(4 * length)), 1) < NOISE) return;
  const measureGrowth = (from: number) => {
    const [short, long] = [write(from), write(4 * from)];
    const growth = () =>
      leastTime(() => run(long), 2) /
      Math.max(
        leastTime(() => run(short), 3),
        1,
      );
    // Garbage collection may disturb some measurements, but not seven.
    let least = growth();
    for (let again = 0; again < 6 && least >= MOST_GROWTH; again++) least = Math.min(least, growth());
    return least;
  };
  const growth = measureGrowth(length);
  if (growth >= MOST_GROWTH)
    expect(Math.min(growth, measureGrowth(4 * length)), name).toBeLessThan(MOST_GROWTH);
}

/** All characters that `.` does not match: a pattern that ends in `.*$` fails at them and backtracks. */
const LINE_BREAKS = Array.from({ length: 0x10000 }, (_, unit) => String.fromCharCode(unit)).filter(
  (character) => !/./.test(character),
);

/** Pieces that repeat between a beginning and an end. */
const RUNS = [
  " ",
  "\t",
  "\u00a0",
  "*",
  "-",
  "_",
  "#",
  ".",
  ":",
  "1",
  "(",
  "[",
  "<",
  "&",
  "a",
  " -",
  "( ",
  " 1",
  "'",
  "\\'",
  ...LINE_BREAKS,
];

const ENDS = ["", "x", ")x", ...LINE_BREAKS.map((lineBreak) => `x${lineBreak}y`)];

describe("the time of every parser grows in proportion to its text", () => {
  test.each(Object.entries(PARSERS))("%s", (_, parser) => {
    for (const name of Object.keys(PIECES) as (keyof typeof PIECES)[])
      expectLinear(name, parser, (length) => make(name, length));
  });

  test("the tried line breaks are those of the language", () => {
    expect(LINE_BREAKS).toEqual(["\n", "\r", "\u2028", "\u2029"]);
  });

  test.each(Object.entries(PARSERS))("%s, a run between a beginning and an end", (_, parser) => {
    for (const opening of ["", ...parser.openings])
      for (const run of RUNS)
        for (const end of ENDS)
          expectLinear(JSON.stringify([opening, run, end]), parser, (length) =>
            [opening, run.repeat(length / run.length), end].join(""),
          );
  });
});
