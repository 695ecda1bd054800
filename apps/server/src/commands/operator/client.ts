import { resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { ActingAs } from "@minutes/core";
import { DataDirLockedError } from "@minutes/db/data-dir-lock";
import { createTRPCClient, type TRPCClient, TRPCClientError, type TRPCLink } from "@trpc/client";
import { observable } from "@trpc/server/observable";
import type { Config } from "../../config/config.js";
import type { OpenDatabase, OpenOptions } from "../../operations/installation.js";
import { note } from "../cli/output.js";
import type { OperatorRouter } from "../procedures/router.js";
import { NotServingError, type OperatorCall, requestOperator } from "./request.js";

/** The command line's typed client of the operator router. */
export type Operator = TRPCClient<OperatorRouter>;

/** Time in ms to wait for a process that is starting or stopping, or for another command that has the data open. */
const LOCK_TIMEOUT = 15_000;
const PAUSE = 100;

/**
 * Connects to the operator router. With `DATABASE_URL`, opens PostgreSQL in this process. The embedded database is
 * reached through the process that holds it; otherwise the first call opens it here. The router, and with it most of
 * the code, is loaded only for a call that runs here.
 */
export function connectOperator(
  config: Config,
  options: OpenOptions = {},
): { operator: Operator; close(): Promise<void> } {
  let database: OpenDatabase | undefined;
  let isWarned = false;
  const open = async () => {
    const { openForCalls } = await import("./open.js");
    database ??= await openForCalls(config, options);
    return database;
  };

  /** Warns once that the data were moved. @throws MovedError for a call that can write rows, which those of a backup can't */
  const warnOfMove = (moved: Error, { type, path }: OperatorCall): void => {
    if (type !== "query" && !path.startsWith("backups.")) throw moved;
    if (!isWarned) note(moved.message);
    isWarned = true;
  };

  /** Calls the process that has the data open. Null if none has, so it was opened here. */
  const callLockHolder = async (call: OperatorCall): Promise<{ data: unknown } | null> => {
    const dataDir = resolve(config.DATA_DIR);
    const until = performance.now() + LOCK_TIMEOUT;
    for (;;) {
      try {
        const answer = await requestOperator(dataDir, call);
        if (!answer) await open();
        return answer;
      } catch (error) {
        // Another process has taken the directory; it will soon answer or release it.
        const passing = error instanceof NotServingError || error instanceof DataDirLockedError;
        if (!passing) throw error;
        if (performance.now() > until) throw new DataDirLockedError(dataDir);
        await pause(PAUSE);
      }
    }
  };

  const call = async (call: OperatorCall): Promise<unknown> => {
    const answer = config.DATABASE_URL === undefined && !database ? await callLockHolder(call) : null;
    if (answer) return answer.data;
    const { callInProcess } = await import("./in-process.js");
    const opened = await open();
    if (opened.moved) warnOfMove(opened.moved, call);
    return retryConflicts(() => callInProcess(opened, call));
  };
  return {
    operator: createTRPCClient<OperatorRouter>({ links: [createLink(call)] }),
    close: async () => {
      await database?.maintenance?.run();
      await database?.close();
    },
  };
}

/** Faults of a transaction that PostgreSQL rolled back because of another one: serialization failure, deadlock. */
const CONFLICTS = new Set(["40001", "40P01"]);
const ATTEMPTS = 4;

/** Repeats a call whose transaction was rolled back because of another process's. */
async function retryConflicts<Result>(run: () => Promise<Result>): Promise<Result> {
  const { getFaultCode } = await import("@minutes/db");
  for (let attempt = 1; ; attempt++) {
    try {
      return await run();
    } catch (error) {
      if (attempt === ATTEMPTS || !CONFLICTS.has(getFaultCode(error) ?? "")) throw error;
      await pause(Math.random() * PAUSE * attempt);
    }
  }
}

/** Creates a terminating link that makes each call with `call`. */
const createLink =
  (call: (call: OperatorCall) => Promise<unknown>): TRPCLink<OperatorRouter> =>
  () =>
  ({ op }) =>
    observable((observer) => {
      call({ ...op, as: op.context.as as ActingAs | undefined }).then(
        (data) => {
          observer.next({ result: { type: "data", data } });
          observer.complete();
        },
        (error) => observer.error(TRPCClientError.from(error)),
      );
    });
