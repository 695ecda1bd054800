import { toErrorResponse } from "@minutes/core";
import type { Logger } from "pino";

/** Ends the process after an uncaught error, because its state is unknown. The log says where it occurred. */
export function exitOnFault(log: Logger): void {
  const onFault = (error: unknown) => {
    log.fatal({ fault: toErrorResponse(error).fault }, "unexpected fault");
    process.exit(1);
  };
  process.on("uncaughtException", onFault);
  process.on("unhandledRejection", onFault);
}
