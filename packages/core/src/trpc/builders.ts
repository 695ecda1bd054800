import { initTRPC } from "@trpc/server";
import superjson from "superjson";

/**
 * Makes the builders of one route set. Each of its procedures receives `Context`.
 *
 * superjson is declared for the clients: stock ones then wrap their input in `{"json": …}`. Our own handler reads and
 * writes that envelope (envelope.ts) and never lets superjson interpret what was sent.
 */
export function createProcedureBuilders<Context extends object>() {
  const { procedure, router } = initTRPC.context<Context>().create({ transformer: superjson });
  return { procedure, router };
}
