import { askInPieces, type Piece, Thread, ThreadLimitError } from "@minutes/background";
import { ApiError, BusyError } from "../lib/errors.js";
import type { BodyAnswer, BodyQuestion } from "./body-thread.js";

/** Bytes from which a body is parsed in a thread. Shorter ones take some 20 ms. */
export const LARGE_BODY = 1024 * 1024;

/** Time in ms to parse and validate a body. The longest takes some two seconds. */
const DEADLINE = 30_000;
/** Maximum heap of the thread, in MB. The cap on values keeps bodies far below it (body-thread.ts). */
const MEMORY = 1_024;
/** Time in ms after which the thread ends: it keeps the memory of the last body. */
const IDLE = 5_000;

const thread = new Thread<BodyQuestion | null, Piece>({
  file: new URL("./body-worker.js", import.meta.url),
  deadline: DEADLINE,
  memory: MEMORY,
  idle: IDLE,
});

/**
 * Parses and validates a large body in a worker thread, one at a time: JSON of 32 MiB would block all other requests for a
 * second. The body's memory moves to the thread.
 * @throws ApiError 400 for an invalid input, and for one with millions of values; 503 when it takes too long
 */
export async function parseLargeBody(question: BodyQuestion): Promise<object> {
  const { body } = question;
  const { buffer } = body;
  const whole = buffer instanceof ArrayBuffer && buffer.byteLength === body.byteLength;
  const answer = await thread
    .use((ask) => askInPieces<BodyQuestion, BodyAnswer>(ask, question, whole ? [buffer] : []))
    .catch((error) => {
      throw error instanceof ThreadLimitError ? new BusyError("deadline") : error;
    });
  if ("refused" in answer) throw new ApiError("BAD_REQUEST", answer.refused);
  return answer.input;
}
