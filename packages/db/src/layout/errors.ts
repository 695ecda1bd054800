import { ExplainedError } from "../explained-error.js";

/** The tables can't be distributed or moved back. The message says what to do. */
export class LayoutError extends ExplainedError {
  override name = "LayoutError";
}
