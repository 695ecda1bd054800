import type { Database } from "@minutes/db";
import type { PersonalCaller, WorkspaceCaller } from "../access/index.js";
import { createProcedureBuilders } from "../trpc/index.js";
import type { WaitOptions } from "./wait.js";

/** What every procedure under `/sync/v1/me` receives. */
export interface PersonalSyncContext {
  readonly db: Database;
  readonly caller: PersonalCaller;
  readonly waiting: WaitOptions;
}

/** What every procedure under `/sync/v1/workspace` receives. */
export interface WorkspaceSyncContext extends Omit<PersonalSyncContext, "caller"> {
  readonly caller: WorkspaceCaller;
}

export const { procedure: personalSyncProcedure, router: createPersonalSyncRouter } =
  createProcedureBuilders<PersonalSyncContext>();

export const { procedure: workspaceSyncProcedure, router: createWorkspaceSyncRouter } =
  createProcedureBuilders<WorkspaceSyncContext>();
