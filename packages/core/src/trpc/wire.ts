import type { AnyTRPCProcedure } from "@trpc/server";
import { parseEnvelope, toEnvelope } from "./envelope.js";
import { parseInputParameter, type Target } from "./request.js";

/** How the inputs and payloads of a route set are written. Errors are the same in all. */
export interface Wire {
  /** Returns whether the query has parameters, which a write does not take. @throws ApiError 400 */
  readonly hasParameters: (target: Target) => boolean;
  /** Reads parameters from the query; undefined when there are none. @throws ApiError 400 */
  readonly parseQuery: (target: Target, procedure: AnyTRPCProcedure) => Record<string, unknown> | undefined;
  /** Reads parameters from a body; undefined when there are none. @throws ApiError 400 */
  readonly parseBody: (text: string) => Record<string, unknown> | undefined;
  readonly writePayload: (payload: unknown) => string;
}

/** tRPC's envelope, as the specification has it. @see docs/specification.md#common-request-and-response-format */
export const ENVELOPE_WIRE: Wire = {
  hasParameters: (target) => parseInputParameter(target) !== undefined,
  parseQuery: (target) => {
    const text = parseInputParameter(target);
    // A call without input has no parameters; the procedure's own schema says which of them it requires.
    return text === undefined ? undefined : (parseEnvelope(text) ?? {});
  },
  parseBody: parseEnvelope,
  writePayload: toEnvelope,
};
