/**
 * An error whose message is for the operator: what is wrong and what to do. The command line prints it without a stack.
 * Extend it for errors that code handles differently.
 */
export class ExplainedError extends Error {
  override name = "ExplainedError";
}
