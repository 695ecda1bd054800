/**
 * An error whose message is for the operator: what is wrong and what to do. The command line prints it without a stack.
 * Extend it for each kind of error that code has to tell from others.
 */
export class ExplainedError extends Error {
  override name = "ExplainedError";
}
