import type { Database } from "@minutes/db";
import type { PersonalCaller, WorkspaceCaller } from "../access/index.js";
import { createProcedureBuilders } from "../api/index.js";
import type { WaitOptions } from "./wait.js";

/** Context of every procedure under `/sync/v1/me`. */
export interface PersonalSyncContext {
  readonly db: Database;
  readonly caller: PersonalCaller;
  readonly waiting: WaitOptions;
}

/** Context of every procedure under `/sync/v1/workspace`. */
export interface WorkspaceSyncContext extends Omit<PersonalSyncContext, "caller"> {
  readonly caller: WorkspaceCaller;
}

export const { procedure: personalSyncProcedure, router: createPersonalSyncRouter } =
  createProcedureBuilders<PersonalSyncContext>();

export const { procedure: workspaceSyncProcedure, router: createWorkspaceSyncRouter } =
  createProcedureBuilders<WorkspaceSyncContext>();
