/** Exit codes: 0 done, 1 the operation failed, 2 wrong usage or settings. */
export const EXIT = { done: 0, failed: 1, usage: 2 } as const;

/** A command can't be run as given. The message says why. */
export class UsageError extends Error {
  override name = "UsageError";
}
