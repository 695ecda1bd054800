import type { Database, Deadline } from "@minutes/db";
import type { ActAs, AnyCaller, VisitorCaller } from "../access/callers.js";

/** What the process has for the operations of all domains. Each domain adds what its own need. */
// biome-ignore lint/suspicious/noEmptyInterface: domains extend it
export interface Services {}

/** A call of an operation. */
export interface Context {
  readonly db: Database;
  readonly caller: AnyCaller | VisitorCaller;
  readonly services: Services;
  /** When the caller is answered with 503; absent on the command line. */
  readonly deadline?: Deadline | undefined;
  /** Where a signed-in user calls from, and until when they wait, to bound work on passwords; absent for other callers. */
  readonly visitor?: { readonly address: string; readonly answerBy: number } | undefined;
  /** Finds the user or workspace that the operator acts as; absent for other callers. */
  readonly actAs?: ActAs | undefined;
}
