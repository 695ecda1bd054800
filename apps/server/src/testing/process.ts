import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { emptyDataDir, filledDataDir, findProgram, temporaryDir } from "@minutes/testing";
import { onTestFinished } from "vitest";
import { loadSample } from "../demo/load.js";

export { emptyDataDir, temporaryDir };

/** The installed `minutes` command. */
const MINUTES = fileURLToPath(new URL("../../bin/minutes.js", import.meta.url));

export type Settings = Readonly<Record<string, string>>;

/** The result of a process. */
export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Creates a data directory with the sample company for one test. */
export const sampleDataDir = (): Promise<string> =>
  filledDataDir("sample", ({ db }, dataDir) => loadSample(db, dataDir));

/** Starts a program; killed at the end of the test if it is still running. */
function launch(command: string, args: readonly string[], settings: Settings, stdin = "", cwd?: string) {
  // Only the test's own settings: the machine's may differ.
  const { PATH, HOME, TMPDIR } = process.env;
  const child = spawn(command, args, {
    // The built-in model would compete with the tests for the CPU.
    env: { PATH, HOME, TMPDIR, EMBEDDINGS: "off", ...settings } as NodeJS.ProcessEnv,
    ...(cwd ? { cwd } : {}),
  });
  const output = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text) => {
    output.stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text) => {
    output.stderr += text;
  });
  child.stdin.on("error", () => {});
  child.stdin.end(stdin);
  const ended = once(child, "close").then(([code, signal]): Ended => ({ code, signal, ...output }));
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  return { child, output, ended };
}

/**
 * Node's arguments for `minutes`. Compiles the database engine quickly, because most test processes are short-lived.
 */
const NODE_ARGS = ["--liftoff-only", MINUTES];

/** Starts `minutes <args>` without waiting for its end. */
export const launchMinutes = (args: readonly string[], settings: Settings) =>
  launch(process.execPath, [...NODE_ARGS, ...args], settings);

/** Runs `minutes <args>` to its end. */
export const minutes = (args: readonly string[], settings: Settings): Promise<Ended> =>
  launchMinutes(args, settings).ended;

/** Runs `minutes <args>` as if on a full disk: no file grows beyond a number of bytes. */
export const minutesOnFullDisk = (
  args: readonly string[],
  settings: Settings,
  bytes = 65_536,
): Promise<Ended> =>
  launch(
    findProgram("prlimit") ?? "",
    [`--fsize=${bytes}`, process.execPath, ...NODE_ARGS, ...args],
    settings,
  ).ended;

/** Runs one line in bash, as if it had been pasted there. */
export const bash = (line: string): Promise<Ended> => launch("bash", ["-s"], {}, `${line}\n`).ended;

/** Runs lines in bash, in a directory and with settings. */
export const bashIn = (directory: string, lines: string, settings: Settings): Promise<Ended> =>
  launch("bash", ["-s"], settings, `${lines}\n`, directory).ended;

/** A server process. */
export interface ServerProcess {
  readonly child: ChildProcess;
  /** Its output so far. */
  readonly output: { readonly stdout: string; readonly stderr: string };
  readonly ended: Promise<Ended>;
  /** Sends a signal and waits for the end. */
  stop(signal?: NodeJS.Signals): Promise<Ended>;
}

/** Starts a server on a free port without waiting for it. */
export function launchServer(settings: Settings, ...options: readonly string[]): ServerProcess {
  const launched = launch(process.execPath, [...NODE_ARGS, "start", ...options], { PORT: "0", ...settings });
  const stop = (signal: NodeJS.Signals = "SIGTERM") => {
    launched.child.kill(signal);
    return launched.ended;
  };
  return { ...launched, stop };
}

/** Starts a process that only delivers webhooks, and waits until it is ready. */
export async function startWorkerProcess(settings: Settings): Promise<ServerProcess> {
  const worker = launchServer(settings, "--role", "worker");
  await new Promise<void>((resolve, reject) => {
    worker.child.stdout?.on("data", () => {
      if (worker.output.stdout.includes('"working"')) resolve();
    });
    worker.ended.then(
      ({ code, stderr }) => reject(new Error(`The worker ended with ${code}: ${stderr}`)),
      reject,
    );
  });
  return worker;
}

/** Starts a server on a free port, with additional arguments, and waits until it listens. */
export async function startProcess(
  settings: Settings,
  ...options: readonly string[]
): Promise<ServerProcess & { readonly url: string }> {
  const server = launchServer(settings, ...options);
  const { child, output, ended } = server;
  const url = await new Promise<string>((resolve, reject) => {
    const look = () => {
      const found = /listening on (http:\S+)/.exec(output.stderr)?.[1];
      if (found && output.stdout.includes('"listening"')) resolve(found);
    };
    for (const stream of [child.stdout, child.stderr]) stream?.on("data", look);
    ended.then(({ code, stderr }) => reject(new Error(`The server ended with ${code}: ${stderr}`)), reject);
  });
  return { ...server, url };
}
