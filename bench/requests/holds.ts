import type { Profiler } from "node:inspector";
import type { Session } from "node:inspector/promises";

/** A time in which the event loop answered nobody. */
interface Hold {
  readonly milliseconds: number;
  /** Time in ms of functions, without those they call; the longest first. */
  readonly self: readonly string[];
  /** Time in ms of the product's functions, with those they call; the longest first. */
  readonly whole: readonly string[];
}

/** The holds of a time. */
export interface Holds {
  readonly count: number;
  /** The longest ones. */
  readonly longest: readonly Hold[];
  /** All together. */
  readonly all: Hold;
}

/** Holds from this many ms on are kept. */
const KEPT = 8;
const LONGEST = 5;
const FUNCTIONS = 12;

/** Starts to watch which functions hold the event loop. @returns stops watching */
export async function watchHolds(profiler: Session): Promise<() => Promise<Holds>> {
  const holds: { from: number; to: number }[] = [];
  const now = () => Number(process.hrtime.bigint()) / 1_000;
  let last = now();
  const timer = setInterval(() => {
    const from = last;
    last = now();
    if (last - from > KEPT * 1_000) holds.push({ from, to: last });
  }, 1);
  await profiler.post("Profiler.enable");
  await profiler.post("Profiler.setSamplingInterval", { interval: 500 });
  await profiler.post("Profiler.start");
  return async () => {
    clearInterval(timer);
    const { profile } = await profiler.post("Profiler.stop");
    // Starting and stopping the profiler holds it, too.
    const within = holds.filter(({ from, to }) => from > profile.startTime && to < profile.endTime);
    const found = within
      .toSorted((one, other) => other.to - other.from - (one.to - one.from))
      .slice(0, LONGEST);
    const explain = createExplainer(profile);
    return { count: within.length, longest: found.map((hold) => explain([hold])), all: explain(within) };
  };
}

const toName = ({ functionName, url, lineNumber }: Profiler.ProfileNode["callFrame"]): string => {
  const file = url.split("/").slice(-2).join("/");
  return `${functionName || "(anonymous)"} ${file}${file ? `:${lineNumber + 1}` : ""}`;
};

function createExplainer({ nodes, samples = [], timeDeltas = [], startTime }: Profiler.Profile) {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])));
  return (holds: readonly { from: number; to: number }[]): Hold => {
    const self = new Map<string, number>();
    const whole = new Map<string, number>();
    const add = (times: Map<string, number>, name: string, time: number) =>
      times.set(name, (times.get(name) ?? 0) + time);
    let at = startTime;
    for (let nth = 0; nth < samples.length; nth++) {
      const delta = timeDeltas[nth] ?? 0;
      at += delta;
      if (!holds.some(({ from, to }) => at > from && at <= to)) continue;
      const node = byId.get(samples[nth] as number);
      if (!node) continue;
      add(self, toName(node.callFrame), delta);
      const seen = new Set<string>();
      for (let id: number | undefined = node.id; id !== undefined; id = parents.get(id)) {
        const frame = byId.get(id)?.callFrame;
        if (frame && !frame.url.includes("node_modules") && frame.url.startsWith("file:"))
          seen.add(toName(frame));
      }
      for (const name of seen) add(whole, name, delta);
    }
    const list = (times: Map<string, number>) =>
      [...times]
        .toSorted(([, one], [, other]) => other - one)
        .slice(0, FUNCTIONS)
        .map(([name, time]) => `${(time / 1_000).toFixed(1)} ${name}`);
    const milliseconds = holds.reduce((sum, { from, to }) => sum + (to - from) / 1_000, 0);
    return { milliseconds, self: list(self), whole: list(whole) };
  };
}
