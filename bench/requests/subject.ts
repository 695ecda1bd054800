import { fork } from "node:child_process";
import { once } from "node:events";
import type { FunctionTime, Readings } from "./measured.js";

/** A server process that is measured. */
export interface Subject {
  readonly port: number;
  /** Reads the processor time of the process so far, in microseconds. */
  readCpuTime(): Promise<number>;
  /** Returns the dearest functions of the process while `load` runs. */
  profile(load: () => Promise<unknown>): Promise<readonly FunctionTime[]>;
  stop(): void;
}

/** Starts a server that calls `serveMeasured`. @param file relative to this file; @param settings its environment */
export async function startSubject(
  file: string,
  settings: Readonly<Record<string, string>>,
): Promise<Subject> {
  const child = fork(new URL(file, import.meta.url), {
    execArgv: ["--import", "tsx"],
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
    profile: async (load) => {
      await ask("start-profile");
      await load();
      return (await ask("stop-profile")).functions;
    },
    stop: () => void child.disconnect(),
  };
}
