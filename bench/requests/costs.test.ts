import { readFile, writeFile } from "node:fs/promises";
import { needs } from "@minutes/testing";
import { expect, test } from "vitest";
import { type Counts, countRequests } from "./counts.js";

/** What a request of each route costs. UPDATE_COSTS=1 writes it. */
const FILE = new URL("./costs.json", import.meta.url);
/** How far a count may be from what is written there: a part of it, and as much as chance adds to a small one. */
const MARGIN = 0.1;
/** Pages: a table of few pages is read as a whole or by its index, as PostgreSQL's statistics of the moment say. */
const CHANCE: Counts = { steps: 20, allocated: 5_000, pages: 15, bytes: 10, trips: 0.1 };
const MEETINGS = 10_000;

test("no request costs a tenth more than is written down, nor a tenth less", needs("postgres"), async () => {
  const counted = await countRequests(process.env.TEST_DATABASE_URL ?? "", MEETINGS);
  if (process.env.UPDATE_COSTS) await writeFile(FILE, `${JSON.stringify(counted, null, 2)}\n`);
  const written = JSON.parse(await readFile(FILE, "utf8")) as Record<string, Counts>;
  const differing = Object.entries(counted).flatMap(([route, counts]) =>
    (Object.keys(counts) as (keyof Counts)[]).flatMap((name) => {
      const [before, now] = [written[route]?.[name] ?? 0, counts[name]];
      const isSame = Math.abs(now - before) <= Math.max(before * MARGIN, CHANCE[name]);
      return isSame ? [] : [`${route}: ${name} ${before} → ${now}`];
    }),
  );
  expect(differing, "If this is meant: UPDATE_COSTS=1 pnpm bench:check bench/requests").toEqual([]);
  expect(Object.keys(counted)).toEqual(Object.keys(written));
});
