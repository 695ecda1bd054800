import { type ChildProcess, execFile, spawn } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

const PROGRAM = ["--import", "tsx", fileURLToPath(new URL("../src/bin.ts", import.meta.url))];

/** Creates an empty folder for one test. */
export async function createFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "minutes-folder-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Creates functions that run `minutes-client` in a process of its own. */
export function createProgram(url: string, key: string) {
  const options = {
    // Where tsx resolves.
    cwd: fileURLToPath(new URL("..", import.meta.url)),
    env: {
      PATH: process.env.PATH,
      TMPDIR: tmpdir(),
      TZ: "UTC",
      MINUTES_URL: url,
      MINUTES_API_KEY: key,
    },
  };

  /** Runs it to its end. */
  const run = (...args: readonly string[]) =>
    new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) => {
      const child = execFile(process.execPath, [...PROGRAM, ...args], options, (_, stdout, stderr) =>
        resolve({ code: child.exitCode, stdout, stderr }),
      );
    });

  /** Starts it, and waits until it has printed a number of lines. */
  async function start(lines: number, ...args: readonly string[]): Promise<ChildProcess> {
    const child = spawn(process.execPath, [...PROGRAM, ...args], options);
    onTestFinished(() => void child.kill("SIGKILL"));
    let printed = 0;
    for await (const _ of createInterface({ input: child.stdout as Readable }))
      if (++printed === lines) break;
    child.stdout.resume();
    return child;
  }

  return { run, start };
}

/** Reads the files of a folder that are not hidden. */
export async function readFolder(folder: string): Promise<Record<string, string>> {
  const names = (await readdir(folder)).filter((name) => !name.startsWith(".")).toSorted();
  const read = async (name: string) => [name, await readFile(join(folder, name), "utf8")] as const;
  return Object.fromEntries(await Promise.all(names.map(read)));
}
