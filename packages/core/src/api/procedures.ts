import { initTRPC } from "@trpc/server";
import superjson from "superjson";

/**
 * Creates the builders of one route set, whose procedures receive `Context`.
 *
 * superjson is declared for stock clients, which then wrap their input in `{"json": …}`. Our own handler reads and
 * writes that envelope (codec.ts) and never lets superjson interpret input.
 */
export function createProcedureBuilders<Context extends object>() {
  const { procedure, router } = initTRPC.context<Context>().create({ transformer: superjson });
  return { procedure, router };
}
