import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { computeMedian } from "../requests/load.js";
import {
  createOwner,
  minutes,
  REST,
  ROUTES,
  readMemory,
  readProcessorTime,
  type Settings,
  sendRequests,
  start,
  writeMeetings,
} from "./server.js";

/** What is compared. */
export interface Comparison {
  readonly rounds: number;
  readonly requests: number;
  readonly imports: number;
}

/** Figures of a start in a round. */
interface Round {
  /** Time to the first answer in ms. */
  readonly start: number;
  /** Processor time of a start in ms. */
  readonly startCpu: number;
  readonly atRest: number;
  /** Processor time of a request in ms, by route. */
  readonly requestCpu: Readonly<Record<(typeof ROUTES)[number], number>>;
}

/** A checkout with data of its own. */
interface Subject {
  readonly root: string;
  readonly settings: Settings;
  readonly key: string;
  readonly rounds: Round[];
}

/**
 * Starts the servers of two checkouts in turn on the same machine, so that other work meets both, and returns the figures of each and
 * the second's as a multiple of the first's. Medians of all rounds; the least of the processor times.
 * @param settingsOf settings with a database of its own for each checkout
 */
export async function compare(
  engine: string,
  roots: readonly [before: string, now: string],
  settingsOf: (root: string) => Promise<Settings>,
  comparison: Comparison,
) {
  const subjects: Subject[] = [];
  for (const root of roots) subjects.push(await prepare(root, await settingsOf(root), comparison.imports));
  for (let round = 0; round < comparison.rounds; round++)
    for (const subject of round % 2 === 0 ? subjects : subjects.toReversed())
      subject.rounds.push(await runRound(subject, comparison.requests));
  const [before, now] = subjects.map(({ rounds }) => summarize(rounds));
  return Object.entries(before ?? {}).map(([figure, value]) => {
    const later = now?.[figure as keyof typeof now] ?? 0;
    return {
      ...{ engine, figure, before: Number(value.toFixed(2)), now: Number(later.toFixed(2)) },
      ratio: Number((later / value).toFixed(3)),
    };
  });
}

/** Creates a checkout's data: the first start migrates. */
async function prepare(root: string, settings: Settings, imports: number): Promise<Subject> {
  const server = await start(root, settings);
  try {
    const key = createOwner(root, settings);
    const folder = mkdtempSync(join(tmpdir(), "bench-compare-"));
    const file = join(folder, "meetings.json");
    writeMeetings(file, imports, 5);
    minutes(root, settings, "import", file);
    rmSync(folder, { recursive: true });
    return { root, settings, key, rounds: [] };
  } finally {
    await server.stop();
  }
}

async function runRound({ root, settings, key }: Subject, requests: number): Promise<Round> {
  const server = await start(root, settings);
  try {
    const startCpu = readProcessorTime(server.pid);
    await pause(REST);
    const atRest = readMemory(server.pid);
    const costs: [string, number][] = [];
    for (const route of ROUTES) {
      await sendRequests(server.url, key, 200, route); // until the functions are compiled
      const before = readProcessorTime(server.pid);
      await sendRequests(server.url, key, requests, route);
      costs.push([route, (readProcessorTime(server.pid) - before) / requests]);
    }
    const requestCpu = Object.fromEntries(costs) as Round["requestCpu"];
    return { start: server.milliseconds, startCpu, atRest, requestCpu };
  } finally {
    await server.stop();
  }
}

const summarize = (rounds: readonly Round[]) => ({
  "later start s": computeMedian(rounds.map((round) => round.start)) / 1_000,
  "later start, least s": Math.min(...rounds.map((round) => round.start)) / 1_000,
  "later start, least CPU s": Math.min(...rounds.map((round) => round.startCpu)) / 1_000,
  "at rest MB": computeMedian(rounds.map((round) => round.atRest)),
  "at rest, least MB": Math.min(...rounds.map((round) => round.atRest)),
  ...Object.fromEntries(
    ROUTES.map((route) => [
      `${route}, least CPU ms`,
      Math.min(...rounds.map(({ requestCpu }) => requestCpu[route])),
    ]),
  ),
});
