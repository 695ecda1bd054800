import { fork } from "node:child_process";
import { once } from "node:events";
import type { FunctionTime, Readings } from "./measured.js";

/** A server process that is measured. */
export interface Subject {
  readonly port: number;
  /** Reads the processor time of the process so far, in microseconds. */
  readCpuTime(): Promise<number>;
  /** Counts from now on what runs in the process. */
  startCounting(): Promise<unknown>;
  /** Reads how many functions were called, and branches and loops entered, since the last call. */
  readSteps(): Promise<number>;
  /** Reads the bytes that have been allocated since the last collection of garbage. */
  readMemory(): Promise<number>;
  /** Returns the dearest functions of the process while `load` runs. */
  profile(load: () => Promise<unknown>): Promise<readonly FunctionTime[]>;
  stop(): void;
}

/**
 * Starts a server that calls `serveMeasured`.
 * @param file relative to this file; @param settings its environment; @param flags Node's own
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
    stop: () => void child.disconnect(),
  };
}
