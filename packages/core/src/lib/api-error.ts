import { TRPCError } from "@trpc/server";

/**
 * An error shown to the caller: a tRPC code, which sets the status, and a message of the contract. It has no stack:
 * nobody reads it, and collecting it would cost a twelfth of a call to an unknown procedure.
 */
export class ApiError extends TRPCError {
  /** @param headers sent with the response. */
  constructor(
    code: TRPCError["code"],
    message: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super({ code, message });
    Error.stackTraceLimit = stackTraceLimit;
  }
}
