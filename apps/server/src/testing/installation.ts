import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Database, lockDataDir } from "@minutes/db";
import { createDataDir, createTestDatabase } from "@minutes/testing";
import pino from "pino";
import { onTestFinished, vi } from "vitest";
import { serveOperator } from "../commands/operator/serve.js";
import { runCommand } from "../commands/program.js";
import { parseConfig } from "../config/config.js";
import { setPassphraseCost } from "../operations/archive/write-entries.js";
import { reportUnreadableSecrets, startDeliveries } from "../operations/deliver.js";
import type { OpenDatabase } from "../operations/installation.js";
import { describeInstallation, openDatabase } from "../operations/open-database.js";
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

/** Opens an empty installation in memory. Commands reach it like a running server. */
export async function openInstallation(more: Settings = {}) {
  const dataDir = await mkdtemp(join(tmpdir(), "minutes-test-"));
  // The directory makes commands see a database; the lock leads them to the one in memory.
  await mkdir(join(dataDir, "db"));
  const settings = { DATA_DIR: dataDir, PORT: "0", ...more };
  const { connection, close } = await createTestDatabase();
  const lock = await lockDataDir(dataDir);
  return runCommands(settings, {
    ...(await describeInstallation(parseConfig(settings), connection, dataDir)),
    ...{ lock, maintenance: null, backups: null },
    close: async () => {
      await close();
      await lock.release();
    },
  });
}

/** Opens an empty installation with its database on disk. */
export async function openInstallationOnDisk(more: Settings = {}) {
  const settings = { DATA_DIR: await createDataDir(), PORT: "0", ...more };
  return runCommands(settings, await openDatabase(parseConfig(settings)));
}

function runCommands(settings: Settings & { DATA_DIR: string }, database: OpenDatabase) {
  const { faults, close } = serveCommands(database);
  return {
    dataDir: settings.DATA_DIR,
    settings,
    db: database.db,
    connection: database.connection,
    faults,
    run: (...args: string[]) => runHere(args, settings),
    /** Runs a command with `--json`; fails unless it succeeds. */
    json: <Result>(...args: string[]): Promise<Result> => minutesJson(args, settings),
    close: async () => {
      await close();
      await rm(settings.DATA_DIR, { recursive: true });
    },
  };
}

function serveCommands(database: OpenDatabase) {
  const faults: string[] = [];
  const operator = serveOperator(database, (fault) => faults.push(fault));
  database.lock?.serve(operator.listener);
  const close = async () => {
    await operator.stop();
    await database.close();
  };
  return { faults, close };
}

/**
 * Serves commands and sends deliveries in this process until the test ends, as a running server would.
 * @returns the lines of its log so far, and its database
 */
export async function deliverHere(settings: Settings): Promise<{ log: readonly string[]; db: Database }> {
  const database = await openDatabase(parseConfig(settings));
  const { close } = serveCommands(database);
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
