import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { DataDirLockedError } from "@minutes/db";
import { NotServingError, requestOperation } from "./control.js";
import type { Env } from "./env.js";
import { type OpenDatabase, type OpenOptions, openDatabase } from "./open-database.js";
import { type InputOf, type OperationName, type OutputOf, runOperation } from "./operations/index.js";

/** Runs the command line's operations, wherever the data is open. */
export interface OperationsClient {
  run<Name extends OperationName>(name: Name, input: InputOf<Name>): Promise<OutputOf<Name>>;
  close(): Promise<void>;
}

/** Milliseconds to wait for a process that is starting, stopping, or a command that is at work on the data. */
const PATIENCE = 15_000;
const PAUSE = 100;

/**
 * PostgreSQL is opened here. The embedded database is reached through the process that holds it; where there is
 * none, it is opened here at the first operation, and nobody has to stop a server to make a key.
 */
export function connectOperations(env: Env, options: OpenOptions = {}): OperationsClient {
  let database: OpenDatabase | undefined;
  const open = async () => {
    database ??= await openDatabase(env, { poolSize: 2, ...options });
    return database;
  };

  const embedded = async <Name extends OperationName>(
    name: Name,
    input: InputOf<Name>,
  ): Promise<OutputOf<Name>> => {
    const dataDir = resolve(env.DATA_DIR);
    const until = performance.now() + PATIENCE;
    for (;;) {
      try {
        const answer = await requestOperation(dataDir, name, input);
        if (answer) return answer.output;
        await open();
        break;
      } catch (error) {
        // Taken by somebody else meanwhile, who will answer soon or be gone.
        const passing = error instanceof NotServingError || error instanceof DataDirLockedError;
        if (!passing || performance.now() > until) throw passing ? new DataDirLockedError(dataDir) : error;
        await sleep(PAUSE);
      }
    }
    return runOperation(await open(), name, input);
  };

  return {
    run: async <Name extends OperationName>(name: Name, input: InputOf<Name>): Promise<OutputOf<Name>> => {
      if (env.DATABASE_URL === undefined && !database) return embedded(name, input);
      return runOperation(await open(), name, input);
    },
    close: async () => {
      await database?.maintenance?.run();
      await database?.close();
    },
  };
}
