import { ApiError, runProcedure, toErrorResponse } from "@minutes/core";
import { TRPCError } from "@trpc/server";
import { operatorRouter } from "../procedures/router.js";
import { type OperatorContext, toCallContext } from "./procedures.js";
import type { OperatorCall } from "./request.js";

/**
 * Calls a procedure in this process, which has the database open.
 * @throws ApiError for a refusal and for invalid input; other errors unchanged
 */
export async function callInProcess(
  ctx: OperatorContext,
  { path, type, input, as }: OperatorCall,
): Promise<unknown> {
  try {
    return await runProcedure(operatorRouter, { path, type, input: input ?? {} }, toCallContext(ctx, as));
  } catch (error) {
    if (!(error instanceof TRPCError) || error instanceof ApiError) throw error;
    const { status, message } = toErrorResponse(error);
    throw status === 400 ? new ApiError("BAD_REQUEST", message) : (error.cause ?? error);
  }
}
