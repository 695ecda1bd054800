import * as contract from "@minutes/contract";
import { readableBy } from "../access/index.js";
import { createRouter, implement } from "../api/index.js";
import { type WaitOptions, waitForChanges } from "./wait.js";

declare module "../api/index.js" {
  interface Context {
    /** How a call of the change feed waits; absent for all others. */
    readonly waiting?: WaitOptions | undefined;
  }
}

/** The change feed of either kind of key, `/sync/v1/me/*` and `/sync/v1/workspace/*`. */
export const syncRouter = createRouter({
  changes: {
    list: implement(contract.listChanges, ({ db, caller, waiting, input }) => {
      if (!waiting) throw new Error("The call can't wait.");
      return waitForChanges(db, { caller, scope: readableBy(caller) }, input, waiting);
    }),
  },
});
export type SyncRouter = typeof syncRouter;
