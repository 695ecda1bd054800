import type { Database } from "@minutes/db";
import type { SimilaritySearch } from "@minutes/search";
import type { PersonalCaller, WorkspaceCaller } from "../access/index.js";
import { createProcedureBuilders } from "../trpc/index.js";

/** What every procedure under `/v1/me` receives. */
export interface PersonalContext {
  readonly db: Database;
  /** Search by similarity; undefined where search goes by words alone. */
  readonly similarity?: SimilaritySearch | undefined;
  readonly caller: PersonalCaller;
}

/** What every procedure under `/v1/workspace` receives. */
export interface WorkspaceContext {
  readonly db: Database;
  readonly caller: WorkspaceCaller;
}

/** Builds the procedures that only a personal key reaches. */
export const { procedure: personalProcedure, router: createPersonalRouter } =
  createProcedureBuilders<PersonalContext>();

/** Builds the procedures that only a workspace key reaches. */
export const { procedure: workspaceProcedure, router: createWorkspaceRouter } =
  createProcedureBuilders<WorkspaceContext>();
