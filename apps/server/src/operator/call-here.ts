import { ApiError, toErrorResponse } from "@minutes/core";
import { callTRPCProcedure, TRPCError } from "@trpc/server";
import type { OperatorContext } from "./procedures.js";
import type { OperatorCall } from "./request.js";
import { operatorRouter } from "./router.js";

/**
 * Calls a procedure in this process, which has the database open.
 * @throws ApiError for a refusal and for a wrong input, and any fault as it was thrown.
 */
export async function callInProcess(
  ctx: OperatorContext,
  { path, type, input }: OperatorCall,
): Promise<unknown> {
  try {
    return await callTRPCProcedure({
      router: operatorRouter,
      path,
      type,
      ctx,
      getRawInput: async () => input ?? {},
      signal: undefined,
      batchIndex: 0,
    });
  } catch (error) {
    if (!(error instanceof TRPCError) || error instanceof ApiError) throw error;
    const { status, message } = toErrorResponse(error);
    throw status === 400 ? new ApiError("BAD_REQUEST", message) : (error.cause ?? error);
  }
}
