import { createProcedureBuilders, type KeyContext } from "../api/index.js";
import type { WaitOptions } from "./wait.js";

/** Context of the change feed. */
interface SyncContext extends KeyContext {
  readonly waiting: WaitOptions;
}

export const { procedure: syncProcedure, router: createSyncRouter } = createProcedureBuilders<SyncContext>();
