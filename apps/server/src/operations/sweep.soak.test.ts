import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { connectEmbedded, type Database } from "@minutes/db";
import { needs, temporaryDir } from "@minutes/testing";
import { sql } from "drizzle-orm";
import { expect, onTestFinished, test } from "vitest";
import { createSweeper } from "./sweep.js";

/** Number of rows of each of the largest tables; 600,000 take 300 MB with their indexes. */
const ROWS = Number(process.env.SWEEP_ROWS ?? 600_000);
/** Rows per inserting statement. */
const BATCH = 20_000;
/** Interval between probes, in ms. */
const PAUSE = 50;
/** Maximum CPU time of a step, in ms. Calls wait for it, because the engine runs one statement at a time. */
const BOUND = 1_000;

const insertSegments = (from: number) => `
  insert into transcript_segments (meeting_id, position, speaker_id, text)
  select 'mtg_' || lpad((n / 100)::text, 20, '0'), n % 100, 's1',
    (select string_agg(md5((n * 31 + k)::text), ' ') from generate_series(1, 6) k where n + k > 0)
  from generate_series(${from}, ${from + BATCH - 1}) n`;
const insertPostings = (from: number) => `
  insert into search_postings (document, term, chunks, best, first, weights, places)
  select n / 200, 't' || md5(n::text), 3, 1, 0, '\\x010203', array[1, 600, 1100]
  from generate_series(${from}, ${from + BATCH - 1}) n`;

/** Calls the database until it is stopped. @returns durations in ms, longest first */
function startProbe(db: Database) {
  let stopped = false;
  const probe = async () => {
    const times: number[] = [];
    while (!stopped) {
      const began = performance.now();
      await sleep(PAUSE);
      await db.execute(sql`select 1`);
      times.push(Math.round(performance.now() - began - PAUSE));
    }
    return times.toSorted((one, other) => other - one);
  };
  const times = probe();
  return () => {
    stopped = true;
    return times;
  };
}

test(
  "a sweep of 300 MB: no step takes a second after a fifth or every second of all rows was deleted",
  needs("embedded"),
  async () => {
    const { db, close } = await connectEmbedded({ dataDir: join(await temporaryDir(), "data") });
    onTestFinished(close);
    const run = (statement: string) => db.execute(sql.raw(statement));
    for (let from = 0; from < ROWS; from += BATCH) {
      await run(insertSegments(from));
      await run(insertPostings(from));
    }
    const steps = new Map<string, number>();
    /** Measures the CPU time of each statement. */
    const measured = new Proxy(db, {
      get: (target, key) =>
        key !== "execute"
          ? Reflect.get(target, key)
          : async (...args: Parameters<Database["execute"]>) => {
              const began = process.cpuUsage();
              const result = await target.execute(...args);
              const { user, system } = process.cpuUsage(began);
              steps.set(
                JSON.stringify((args[0] as { queryChunks?: unknown }).queryChunks),
                (user + system) / 1_000,
              );
              return result;
            },
    });
    const sweeper = createSweeper(measured, { isStopped: () => false, mustKeepWriteAheadLog: () => false });
    expect(await sweeper.sweep()).toBe(true);
    /** Sweeps and prints its longest steps. @returns CPU time of the longest, in ms */
    const measureSweep = async (deleted: string) => {
      steps.clear();
      const stopProbe = startProbe(db);
      expect(await sweeper.sweep()).toBe(true);
      const [longestCall] = await stopProbe();
      const longest = [...steps].toSorted(([, one], [, other]) => other - one).slice(0, 4);
      console.log(deleted, JSON.stringify({ longestCall, cpu: Object.fromEntries(longest) }));
      return longest[0]?.[1] ?? 0;
    };
    const [meetings, documents] = [ROWS / 100, ROWS / 200];
    await run(`delete from transcript_segments where right(meeting_id, 20)::int < ${meetings / 5}`);
    await run(`delete from search_postings where document < ${documents / 5}`);
    const fifth = await measureSweep("a fifth deleted");
    await run("delete from transcript_segments where position % 2 = 0");
    await run("delete from search_postings where document % 2 = 0");
    const half = await measureSweep("every second row deleted");
    expect(fifth).toBeLessThan(BOUND);
    expect(half).toBeLessThan(BOUND);
  },
);
