import type { Server } from "node:http";
import type { Profiler } from "node:inspector";
import { Session } from "node:inspector/promises";
import type { AddressInfo } from "node:net";
import { type Holds, watchHolds } from "./holds.js";

/** A subject's answers to the parent's messages, by message name. */
export interface Readings {
  /** CPU time of the process so far. */
  readonly cpu: { readonly cpuMicroseconds: number };
  /** Starts counting everything that runs, which slows it down. */
  readonly "start-counting": Record<string, never>;
  /** Number of called functions and entered branches and loops since the last reading. */
  readonly "read-steps": { readonly steps: number };
  /** Bytes allocated since the last garbage collection. */
  readonly "read-memory": { readonly bytes: number };
  readonly "start-profile": Record<string, never>;
  /** The functions with the most self time since the profile was started, in descending order. */
  readonly "stop-profile": { readonly functions: readonly FunctionTime[] };
  /** Starts to watch what holds the event loop. */
  readonly "start-holds": Record<string, never>;
  readonly "stop-holds": Holds;
}

/** A function and its share of the busy time, without the functions that it calls. */
export interface FunctionTime {
  readonly name: string;
  /** From 0 to 1. */
  readonly part: number;
}

const FUNCTIONS = 10;
/** Profiler names of idle time. */
const IDLE = new Set(["(idle)", "(root)", "(program)"]);

/** Listens, reports its port to the parent, and answers its messages. */
export function serveMeasured(server: Server): void {
  const profiler = new Session();
  let stopWatching = (): Promise<Holds> => Promise.reject(new Error("Nothing is watched."));
  const readings: { [Name in keyof Readings]: () => Readings[Name] | Promise<Readings[Name]> } = {
    cpu: () => {
      const { user, system } = process.cpuUsage();
      return { cpuMicroseconds: user + system };
    },
    "start-counting": async () => {
      profiler.connect();
      await profiler.post("Profiler.enable");
      await profiler.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
      return {};
    },
    "read-steps": async () => {
      const steps = countSteps(await profiler.post("Profiler.takePreciseCoverage"));
      globalThis.gc?.();
      return { steps };
    },
    "read-memory": () => ({ bytes: process.memoryUsage().heapUsed }),
    "start-profile": async () => {
      profiler.connect();
      await profiler.post("Profiler.enable");
      await profiler.post("Profiler.start");
      return {};
    },
    "stop-profile": async () => {
      const { profile } = await profiler.post("Profiler.stop");
      profiler.disconnect();
      return { functions: rankFunctions(profile) };
    },
    "start-holds": async () => {
      profiler.connect();
      stopWatching = await watchHolds(profiler);
      return {};
    },
    "stop-holds": async () => {
      const holds = await stopWatching();
      profiler.disconnect();
      return holds;
    },
  };
  server.listen(0, "127.0.0.1", () => process.send?.({ port: (server.address() as AddressInfo).port }));
  process.on("message", async (name: keyof Readings) => process.send?.(await readings[name]()));
  process.on("disconnect", () => process.exit(0));
}

/** Sums the counts of all code in files, without Node's own. */
function countSteps({ result }: Profiler.TakePreciseCoverageReturnType): number {
  return result
    .filter(({ url }) => url.startsWith("file:"))
    .flatMap(({ functions }) => functions.flatMap(({ ranges }) => ranges))
    .reduce((sum, { count }) => sum + count, 0);
}

/** Sums the samples of a profile by function. */
function rankFunctions({ nodes, samples = [] }: Profiler.Profile): FunctionTime[] {
  const nodesById = new Map(nodes.map((node) => [node.id, node.callFrame]));
  const counts = new Map<string, number>();
  let busy = 0;
  for (const sample of samples) {
    const frame = nodesById.get(sample);
    if (!frame || IDLE.has(frame.functionName)) continue;
    busy += 1;
    const file = frame.url.split("/").slice(-2).join("/");
    const name = `${frame.functionName || "(anonymous)"} ${file}${file ? `:${frame.lineNumber + 1}` : ""}`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts]
    .sort(([, one], [, other]) => other - one)
    .slice(0, FUNCTIONS)
    .map(([name, count]) => ({ name, part: count / busy }));
}
