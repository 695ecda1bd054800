import { fork } from "node:child_process";
import { once } from "node:events";
import type { Holds } from "./holds.js";
import type { FunctionTime, Readings } from "./measured.js";

/** A measured server process. */
export interface Subject {
  readonly port: number;
  /** Reads the CPU time of the process so far, in microseconds. */
  readCpuTime(): Promise<number>;
  /** Starts counting what runs in the process. */
  startCounting(): Promise<unknown>;
  /** Reads the number of called functions and entered branches and loops since the last call. */
  readSteps(): Promise<number>;
  /** Reads the bytes allocated since the last garbage collection. */
  readMemory(): Promise<number>;
  /** Returns the most expensive functions of the process while `load` runs. */
  profile(load: () => Promise<unknown>): Promise<readonly FunctionTime[]>;
  /** Returns what holds the event loop of the process while `load` runs. */
  watchHolds<Result>(load: () => Promise<Result>): Promise<{ result: Result; holds: Holds }>;
  stop(): void;
}

/**
 * Starts a server that calls `serveMeasured`.
 * @param file relative to this file; @param settings its environment; @param flags for Node.js
 */
export async function startSubject(
  file: string,
  settings: Readonly<Record<string, string>>,
  flags: readonly string[] = [],
): Promise<Subject> {
  const child = fork(new URL(file, import.meta.url), {
    execArgv: [...flags, "--import", "tsx"],
    env: { ...process.env, ...settings },
  });
  const [{ port }] = (await once(child, "message")) as [{ port: number }];
  const ask = async <Name extends keyof Readings>(name: Name): Promise<Readings[Name]> => {
    child.send(name);
    return ((await once(child, "message")) as [Readings[Name]])[0];
  };
  return {
    port,
    readCpuTime: async () => (await ask("cpu")).cpuMicroseconds,
    startCounting: () => ask("start-counting"),
    readSteps: async () => (await ask("read-steps")).steps,
    readMemory: async () => (await ask("read-memory")).bytes,
    profile: async (load) => {
      await ask("start-profile");
      await load();
      return (await ask("stop-profile")).functions;
    },
    watchHolds: async (load) => {
      await ask("start-holds");
      const result = await load();
      return { result, holds: await ask("stop-holds") };
    },
    stop: () => void child.disconnect(),
  };
}
