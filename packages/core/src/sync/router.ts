import * as contract from "@minutes/contract";
import { LIMITS } from "@minutes/contract";
import { readableBy } from "../access/index.js";
import { createRouter, implement, writeRowByRow } from "../api/index.js";
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
    list: implement(contract.listChanges, async ({ db, caller, waiting, input }) => {
      if (!waiting) throw new Error("The call can't wait.");
      const page = await waitForChanges(db, { caller, scope: readableBy(caller) }, input, waiting);
      return input.include ? writeRowByRow(page) : page;
    }),
  },
});
/** The change feed of an open page, `/console/v1/feed/*`. */
export const feedRouter = createRouter({
  changes: {
    follow: implement(contract.followChanges, async ({ db, caller, waiting, input: { cursor, wait } }) => {
      if (!waiting) throw new Error("The call can't wait.");
      const feed = { caller, scope: readableBy(caller) };
      const begins = cursor === undefined;
      const page = await waitForChanges(
        db,
        feed,
        { cursor, limit: LIMITS.pageSizeMax, ...(begins ? { fromNow: true } : { wait }) },
        waiting,
      );
      return { changed: [...new Set(page.changes.map(({ type }) => type))], nextCursor: page.nextCursor };
    }),
  },
});

export type FeedRouter = typeof feedRouter;

export type SyncRouter = typeof syncRouter;
