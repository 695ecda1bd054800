import { setImmediate as nextTurn } from "node:timers/promises";
import type { Deadline } from "./deadline.js";

/** Time in ms after which long work yields to pending requests. */
const SLICE = 3;

/** When the last work that yielded went on. */
let latest = 0;
/** Settles when the work that yielded last goes on. */
let queue: Promise<void> = Promise.resolve();

/**
 * Yields to pending requests if 3 ms have passed since the last yield. Long work calls it repeatedly, and the embedded
 * engine before each statement of a transaction: it never waits for I/O, so a transaction would otherwise block the event
 * loop. Of several that work, one goes on in each turn of the event loop, so that requests wait for one slice.
 */
export async function yieldToEventLoop(): Promise<void> {
  if (performance.now() - latest < SLICE) return;
  queue = queue.then(() => nextTurn());
  await queue;
  latest = performance.now();
}

/** Work that can be paused at every `yield`. */
export type Steps<Result> = Generator<void, Result>;

/** Runs work to completion and answers pending requests between its steps. @throws the error of a deadline that passes */
export async function runSteps<Result>(steps: Steps<Result>, deadline?: Deadline): Promise<Result> {
  for (;;) {
    deadline?.check();
    const step = steps.next();
    if (step.done) return step.value;
    await yieldToEventLoop();
  }
}
