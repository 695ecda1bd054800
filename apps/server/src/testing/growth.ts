import { describe, expect, test } from "vitest";
import { make, PARSERS, type Parser, PIECES } from "./parsers.js";

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

const MOST_GROWTH = 9;
/** Length of the shortest text. Some parsers take another path for longer ones. */
const SHORTEST = 400;
/** Time in ms of a measurement that needs no repetition. */
const UNDISTURBED = 200;

/** Sizes of the measured texts. */
interface Sizes {
  /** Divides the length that each parser has in `PARSERS`. */
  readonly divisor: number;
  /** Time in ms below which a parser of the longer text is fast, whatever its growth. */
  readonly fast: number;
}

/**
 * Requires that 4 times the text takes less than 9 times as long: linear growth is 4-fold, quadratic 16-fold. Compilation and
 * garbage collection can make one step look steep, so growth that isn't linear has to appear at two steps in a row.
 */
function expectLinear(
  name: string,
  { length, run }: Pick<Parser, "length" | "run">,
  fast: number,
  write: (length: number) => string,
): void {
  if (leastTime(() => run(write(4 * length)), 1) < fast) return;
  const measureGrowth = (from: number) => {
    const [short, long] = [write(from), write(4 * from)];
    let least = Number.POSITIVE_INFINITY;
    // Garbage collection may disturb some measurements, but not seven, nor long ones.
    for (let again = 0; again < 7 && least >= MOST_GROWTH; again++) {
      const time = leastTime(() => run(long), 2);
      const shortTime = leastTime(() => run(short), 3);
      least = Math.min(least, time / Math.max(shortTime, fast / 20));
      if (time > UNDISTURBED) break;
    }
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

/** Tests each parser with every piece repeated, and with a run of it between a beginning and an end. */
export function describeGrowth({ divisor, fast }: Sizes): void {
  const parsers = Object.entries(PARSERS).map(([name, parser]) => {
    return [name, { ...parser, length: Math.max(Math.ceil(parser.length / divisor), SHORTEST) }] as const;
  });
  describe("the time of every parser grows in proportion to its text", () => {
    test.each(parsers)("%s", (_, parser) => {
      for (const name of Object.keys(PIECES) as (keyof typeof PIECES)[])
        expectLinear(name, parser, fast, (length) => make(name, length));
    });

    test("the tried line breaks are those of the language", () => {
      expect(LINE_BREAKS).toEqual(["\n", "\r", "\u2028", "\u2029"]);
    });

    test.each(parsers)("%s, a run between a beginning and an end", (_, parser) => {
      for (const opening of ["", ...parser.openings])
        for (const run of RUNS)
          for (const end of ENDS)
            expectLinear(JSON.stringify([opening, run, end]), parser, fast, (length) =>
              [opening, run.repeat(length / run.length), end].join(""),
            );
    });
  });
}
