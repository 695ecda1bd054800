import type { Database, Deadline } from "@minutes/db";
import type { SimilaritySearch } from "@minutes/search";
import { initTRPC } from "@trpc/server";
import superjson from "superjson";
import type { Caller, UserCaller, WorkspaceCaller } from "../access/index.js";
import type { AnswerModel } from "../chat/index.js";

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

/** Context of every procedure under `/v1/me`. */
export interface PersonalContext {
  readonly db: Database;
  /** Semantic search; undefined if search uses words alone. */
  readonly similarity?: SimilaritySearch | undefined;
  /** Writes answers to questions; undefined if there is none. */
  readonly model?: AnswerModel | undefined;
  readonly caller: UserCaller;
  /** Absent on the command line. */
  readonly deadline?: Deadline | undefined;
}

/** Context of every procedure under `/v1/workspace`. */
export interface WorkspaceContext {
  readonly db: Database;
  readonly caller: WorkspaceCaller;
}

/** Builds procedures for personal keys only. */
export const { procedure: personalProcedure, router: createPersonalRouter } =
  createProcedureBuilders<PersonalContext>();

/** Builds procedures for workspace keys only. */
export const { procedure: workspaceProcedure, router: createWorkspaceRouter } =
  createProcedureBuilders<WorkspaceContext>();

/** Context of procedures for both kinds of keys. */
export interface KeyContext {
  readonly db: Database;
  readonly caller: Caller;
}

/** Builds procedures for both kinds of keys. */
export const { procedure: keyProcedure } = createProcedureBuilders<KeyContext>();
