import { type CallerKind, type Operation, Success } from "@minutes/contract";
import type { Database } from "@minutes/db";
import { initTRPC, type TRPCMutationProcedure, type TRPCQueryProcedure } from "@trpc/server";
import superjson from "superjson";
import type { z } from "zod";
import { audit } from "../access/audit.js";
import type { AnyCaller, VisitorCaller } from "../access/callers.js";
import { requireRecentSignIn } from "../access/index.js";
import type { Context } from "./context.js";
import type { JsonLines, JsonStream } from "./json-lines.js";
import { acceptValidated } from "./large-inputs.js";
import { createCheck } from "./long-answers.js";

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

const { procedure, router } = initTRPC
  .context<Context>()
  .meta<{ operation: Operation }>()
  .create({ transformer: superjson });

/** Creates a router of implemented operations, by resource and verb. */
export const createRouter = router;

/** A call of an operation, as its implementation receives it. */
interface Call<Callers extends CallerKind, Input> extends Omit<Context, "caller" | "actAs"> {
  readonly caller: Extract<AnyCaller | VisitorCaller, { kind: Callers }>;
  readonly input: Input;
}

/** Work of an operation. One that answers `Success` returns nothing. */
type Implementation<Callers extends CallerKind, Input extends z.ZodType, Output extends z.ZodType> = (
  call: Call<Callers, z.output<Input>>,
) => IsSuccess<Output> extends true ? void | Promise<void> : z.input<Output> | Promise<z.input<Output>>;

/** Exactly, not also an answer with further fields. */
type IsSuccess<Output> = Output extends typeof Success
  ? typeof Success extends Output
    ? true
    : false
  : false;

/** A streamed answer. */
type Stream = JsonLines | JsonStream;

/** A procedure with the types of an operation. */
type ProcedureOf<
  Type extends "query" | "mutation",
  Input extends z.ZodType,
  Output extends z.ZodType,
> = Type extends "query"
  ? TRPCQueryProcedure<{ input: z.input<Input>; output: z.output<Output>; meta: object }>
  : TRPCMutationProcedure<{ input: z.input<Input>; output: z.output<Output>; meta: object }>;

/**
 * Implements an operation as a tRPC procedure. `run` gets a caller of a kind that the declaration names. If the operator calls,
 * that is the user or workspace that they act as, and their access is audited in the same transaction.
 */
export function implement<
  Name extends string,
  Type extends "query" | "mutation",
  Callers extends CallerKind,
  Input extends z.ZodType,
  Output extends z.ZodType,
>(
  operation: Operation<Name, Type, Callers, Input, Output>,
  run: Implementation<Callers, Input, Output>,
): ProcedureOf<Type, Input, Output> {
  const work = run as unknown as AnyRun;
  const answer: AnyRun =
    (operation.output as z.ZodType) === Success
      ? async (call) => {
          await work(call);
          return { success: true };
        }
      : work;
  const call = (ctx: Context, input: unknown) => runAs(operation, answer, ctx, input);
  const built = procedure.meta({ operation }).input(acceptValidated(operation.input));
  const checked = operation.rest?.streams ? built : built.output(createCheck(operation.output));
  const implemented =
    operation.type === "query"
      ? checked.query(({ ctx, input }) => call(ctx, input))
      : checked.mutation(({ ctx, input }) => call(ctx, input));
  return implemented as unknown as ProcedureOf<Type, Input, Output>;
}

/** Implements an operation whose answer is streamed as lines of JSON. */
export const implementStream = <
  Name extends string,
  Type extends "query" | "mutation",
  Callers extends CallerKind,
  Input extends z.ZodType,
  Output extends z.ZodType,
>(
  operation: Operation<Name, Type, Callers, Input, Output>,
  run: (call: Call<Callers, z.output<Input>>) => Stream | Promise<Stream>,
) =>
  implement(
    operation as unknown as Operation<Name, Type, Callers, Input, z.ZodType<Stream>>,
    run as Implementation<Callers, Input, z.ZodType<Stream>>,
  );

type AnyRun = (call: Call<CallerKind, unknown>) => unknown;

/** Runs an operation as its caller or, for the operator, as the caller that they act as. */
async function runAs(operation: Operation, run: AnyRun, ctx: Context, input: unknown): Promise<unknown> {
  const { db, caller, actAs } = ctx;
  const { callers, operator, recentSignIn, type } = operation;
  if (callers.includes(caller.kind)) {
    if (recentSignIn && "via" in caller && caller.via.kind === "session")
      await requireRecentSignIn(db, caller.via.sessionId);
    return run({ ...ctx, caller, input });
  }
  if (caller.kind !== "operator" || !operator || !actAs)
    throw new Error(`${operation.name} is not for ${caller.kind}.`);
  const { ownerOf, audit: action } = operator;
  const id = ownerOf && String((input as Readonly<Record<string, unknown>>)[ownerOf]);
  const isDryRun = (input as { dryRun?: boolean } | undefined)?.dryRun === true;
  const runIn = async (tx: Database) => {
    const acting = await actAs(tx, ownerOf && id ? { field: ownerOf, id } : null);
    if (action && !isDryRun)
      await audit(tx, caller, action, id ?? (acting.kind === "user" ? acting.userId : acting.workspaceId));
    return run({ ...ctx, db: tx, caller: acting, input });
  };
  return action && type === "mutation" ? db.transaction(runIn) : runIn(db);
}
