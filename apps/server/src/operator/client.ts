import { resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { DataDirLockedError } from "@minutes/db";
import { createTRPCClient, type TRPCClient, TRPCClientError, type TRPCLink } from "@trpc/client";
import { observable } from "@trpc/server/observable";
import type { Env } from "../env.js";
import type { OpenDatabase, OpenOptions } from "../open-database.js";
import { callInProcess } from "./call-here.js";
import { openForCall } from "./open.js";
import { NotServingError, type OperatorCall, requestOperator } from "./request.js";
import type { OperatorRouter } from "./router.js";

/** The command line's typed client of the operator router. */
export type Operator = TRPCClient<OperatorRouter>;

/** Milliseconds to wait for a process that is starting or stopping, or for another command that has the data open. */
const LOCK_TIMEOUT = 15_000;
const PAUSE = 100;

/**
 * Connects to the operator router, wherever the data is open. With `DATABASE_URL`, PostgreSQL is opened here. The
 * embedded database is reached through the process that holds it; without one, the first call opens it here.
 */
export function connectOperator(
  env: Env,
  options: OpenOptions = {},
): { operator: Operator; close(): Promise<void> } {
  let database: OpenDatabase | undefined;
  const open = async ({ path }: OperatorCall) => {
    database ??= await openForCall(env, options, path);
    return database;
  };

  /** Calls the process that has the data open. Null: no other process has, so it was opened here. */
  const callLockHolder = async (call: OperatorCall): Promise<{ data: unknown } | null> => {
    const dataDir = resolve(env.DATA_DIR);
    const until = performance.now() + LOCK_TIMEOUT;
    for (;;) {
      try {
        const answer = await requestOperator(dataDir, call);
        if (!answer) await open(call);
        return answer;
      } catch (error) {
        // Another process took the directory meanwhile; it will answer or let go soon.
        const passing = error instanceof NotServingError || error instanceof DataDirLockedError;
        if (!passing) throw error;
        if (performance.now() > until) throw new DataDirLockedError(dataDir);
        await pause(PAUSE);
      }
    }
  };

  const call = async (call: OperatorCall): Promise<unknown> => {
    const answer = env.DATABASE_URL === undefined && !database ? await callLockHolder(call) : null;
    return answer ? answer.data : callInProcess(await open(call), call);
  };
  return {
    operator: createTRPCClient<OperatorRouter>({ links: [createLink(call)] }),
    close: async () => {
      await database?.maintenance?.run();
      await database?.close();
    },
  };
}

/** Creates a terminating link that makes each call with `call`. */
const createLink =
  (call: (call: OperatorCall) => Promise<unknown>): TRPCLink<OperatorRouter> =>
  () =>
  ({ op }) =>
    observable((observer) => {
      call(op).then(
        (data) => {
          observer.next({ result: { type: "data", data } });
          observer.complete();
        },
        (error) => observer.error(TRPCClientError.from(error)),
      );
    });
