import { ChangePage, ListChanges } from "@minutes/contract";
import { readableBy } from "../access/index.js";
import { createProcedureBuilders, type KeyContext } from "../api/index.js";
import { type WaitOptions, waitForChanges } from "./wait.js";

const { procedure, router } = createProcedureBuilders<KeyContext & { readonly waiting: WaitOptions }>();

/** The change feed of either kind of key, `/sync/v1/me/*` and `/sync/v1/workspace/*`. */
export const syncRouter = router({
  changes: {
    list: procedure
      .input(ListChanges)
      .output(ChangePage)
      .query(({ ctx: { db, caller, waiting }, input }) =>
        waitForChanges(db, { caller, scope: readableBy(caller) }, input, waiting),
      ),
  },
});
export type SyncRouter = typeof syncRouter;
