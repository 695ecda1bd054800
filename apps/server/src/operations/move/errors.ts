import { ExplainedError } from "@minutes/db";

/** A move that can't begin or continue; the message says what to do. */
export class MoveError extends ExplainedError {
  override name = "MoveError";
}
