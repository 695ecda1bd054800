import { rm } from "node:fs/promises";
import type { Database } from "@minutes/db";
import { createDataDir } from "@minutes/testing";
import pino from "pino";
import { onTestFinished, vi } from "vitest";
import { serveOperator } from "../commands/operator/serve.js";
import { runCommand } from "../commands/program.js";
import { parseConfig } from "../config/config.js";
import { setPassphraseCost } from "../operations/archive/write-entries.js";
import { reportUnreadableSecrets, startDeliveries } from "../operations/deliver.js";
import { openDatabase } from "../operations/open-database.js";
import { start } from "../start.js";
import type { Settings } from "./process.js";

/** By default a passphrase takes seconds. */
const CHEAP = 4;

/** The result of a command. */
export interface CommandResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `minutes <args>` in this process, which is much faster than starting one. */
export async function runHere(args: readonly string[], settings: Settings): Promise<CommandResult> {
  const written = { stdout: "", stderr: "" };
  const { env, exitCode } = process;
  const capture = (stream: "stdout" | "stderr") =>
    vi.spyOn(process[stream], "write").mockImplementation((text) => {
      written[stream] += String(text);
      return true;
    });
  const spies = [capture("stdout"), capture("stderr")];
  // Only the test's own settings: the machine's may differ.
  process.env = { ...settings };
  process.exitCode = undefined;
  setPassphraseCost(CHEAP);
  try {
    const code = await runCommand(args, start);
    return { code, ...written };
  } finally {
    process.env = env;
    process.exitCode = exitCode;
    for (const spy of spies) spy.mockRestore();
  }
}

/** Runs `minutes <args> --json` in this process; fails unless it succeeds. */
export async function minutesJson<Result>(args: readonly string[], settings: Settings): Promise<Result> {
  const { code, stdout, stderr } = await runHere([...args, "--json"], settings);
  if (code !== 0) throw new Error(`minutes ${args.join(" ")} ended with ${code}: ${stdout}${stderr}`);
  return JSON.parse(stdout) as Result;
}

/** Opens an embedded database and locks it, as a running server would, for commands that call it. */
export async function openInstallation(more: Settings = {}) {
  const dataDir = await createDataDir();
  const settings = { DATA_DIR: dataDir, PORT: "0", ...more };
  const { database, faults, close } = await serveCommands(settings);
  return {
    dataDir,
    settings,
    db: database.db,
    connection: database.connection,
    faults,
    run: (...args: string[]) => runHere(args, settings),
    /** Runs a command with `--json`; fails unless it succeeds. */
    json: <Result>(...args: string[]): Promise<Result> => minutesJson(args, settings),
    close: async () => {
      await close();
      await rm(dataDir, { recursive: true });
    },
  };
}

async function serveCommands(settings: Settings) {
  const database = await openDatabase(parseConfig(settings));
  const faults: string[] = [];
  const operator = serveOperator(database, (fault) => faults.push(fault));
  database.lock?.serve(operator.listener);
  const close = async () => {
    await operator.stop();
    await database.close();
  };
  return { database, faults, close };
}

/**
 * Serves commands and sends deliveries in this process until the test ends, as a running server would.
 * @returns the lines of its log so far, and its database
 */
export async function deliverHere(settings: Settings): Promise<{ log: readonly string[]; db: Database }> {
  const { database, close } = await serveCommands(settings);
  const lines: string[] = [];
  const log = pino({ level: "debug" }, { write: (line: string) => void lines.push(line) });
  const unobserved = { onAttempt: undefined, onFailedDelivery: undefined, traceDelivery: undefined };
  const worker = await startDeliveries(database, parseConfig(settings), log, unobserved);
  await reportUnreadableSecrets(database, log);
  onTestFinished(async () => {
    await worker?.stop();
    await close();
  });
  return { log: lines, db: database.db };
}
