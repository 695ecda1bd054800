import { ChangePage, ListChanges } from "@minutes/contract";
import { readableBy } from "../access/index.js";
import { createSyncRouter, syncProcedure } from "./procedures.js";
import { waitForChanges } from "./wait.js";

/** The change feed of either kind of key, `/sync/v1/me/*` and `/sync/v1/workspace/*`. */
export const syncRouter = createSyncRouter({
  changes: {
    list: syncProcedure
      .input(ListChanges)
      .output(ChangePage)
      .query(({ ctx: { db, caller, waiting }, input }) =>
        waitForChanges(db, { caller, scope: readableBy(caller) }, input, waiting),
      ),
  },
});
export type SyncRouter = typeof syncRouter;
