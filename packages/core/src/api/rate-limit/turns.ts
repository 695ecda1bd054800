import type { IncomingMessage } from "node:http";
import { type Database, type Deadline, type OnEnd, runInTurn } from "@minutes/db";
import type { AnyCaller, VisitorCaller } from "../../access/callers.js";

/**
 * Runs the work of a costly call in the turn of its holder. Costly calls, such as an import, can take seconds of the event
 * loop and of a connection. Few of a holder run at once; the others wait in a queue of their holder until their deadline,
 * and holders take turns. Other calls never wait here, so the costly calls of one holder don't delay the reads of others.
 * @param onGone calls back when the client is gone: work that has not started then never does
 * @throws TooManyWaitingError
 * @see docs/decisions/0379-fair-shares.md
 */
export async function takeTurn<Result>(
  db: Database,
  caller: AnyCaller | VisitorCaller,
  work: () => Promise<Result>,
  deadline: Deadline,
  onGone?: OnEnd,
): Promise<Result> {
  deadline.check();
  return runInTurn(db, toHolder(caller), work, (end) => {
    const forget = [deadline.onPass(end), onGone?.(end)];
    return () => {
      for (const stop of forget) stop?.();
    };
  });
}

const toHolder = (caller: AnyCaller | VisitorCaller): string =>
  caller.kind === "user" ? caller.userId : "workspaceId" in caller ? caller.workspaceId : caller.kind;

/** Calls back when the client of a request is gone. @returns a function that forgets the callback */
export function watchClient({ socket }: IncomingMessage, callback: () => void): () => void {
  if (socket.destroyed) callback();
  else socket.once("close", callback);
  return () => void socket.off("close", callback);
}
