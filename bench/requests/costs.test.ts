import { readFile, writeFile } from "node:fs/promises";
import { needs } from "@minutes/testing";
import { expect, test } from "vitest";
import { type Counts, countRequests } from "./counts.js";

/** The cost of a request of each route. UPDATE_COSTS=1 updates it. */
const FILE = new URL("./costs.json", import.meta.url);
/** Permitted deviation from the stored counts: a fraction, or the noise of a small count, if that is more. */
const MARGIN = 0.1;
/**
 * The counts that have a floor and a ceiling. Allocated bytes vary with the machine, and pages with PostgreSQL's current
 * statistics, so these two are only recorded.
 */
const NOISE = { steps: 20, bytes: 10, trips: 0.1 } satisfies Partial<Counts>;
const MEETINGS = 10_000;

test("no request costs a tenth more than is written down, nor a tenth less", needs("postgres"), async () => {
  const counted = await countRequests(process.env.TEST_DATABASE_URL ?? "", MEETINGS);
  if (process.env.UPDATE_COSTS) await writeFile(FILE, `${JSON.stringify(counted, null, 2)}\n`);
  const written = JSON.parse(await readFile(FILE, "utf8")) as Record<string, Counts>;
  const differing = Object.entries(counted).flatMap(([route, counts]) =>
    (Object.keys(NOISE) as (keyof typeof NOISE)[]).flatMap((name) => {
      const [before, now] = [written[route]?.[name] ?? 0, counts[name]];
      const isSame = Math.abs(now - before) <= Math.max(before * MARGIN, NOISE[name]);
      return isSame ? [] : [`${route}: ${name} ${before} → ${now}`];
    }),
  );
  expect(differing, "If this is meant: UPDATE_COSTS=1 pnpm bench:check bench/requests").toEqual([]);
  expect(Object.keys(counted)).toEqual(Object.keys(written));
});
