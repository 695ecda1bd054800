import { ChangePage, ListChanges } from "@minutes/contract";
import { ownedByMembers, visibleTo } from "../access/index.js";
import {
  createPersonalSyncRouter,
  createWorkspaceSyncRouter,
  personalSyncProcedure,
  workspaceSyncProcedure,
} from "./procedures.js";
import { waitForChanges } from "./wait.js";

/** The change feed of a personal key, `/sync/v1/me/*`. */
export const mySyncRouter = createPersonalSyncRouter({
  changes: {
    list: personalSyncProcedure
      .input(ListChanges)
      .output(ChangePage)
      .query(({ ctx: { db, caller, waiting }, input }) =>
        waitForChanges(db, { caller, scope: visibleTo(caller) }, input, waiting),
      ),
  },
});
export type MySyncRouter = typeof mySyncRouter;

/** The change feed of a workspace key, `/sync/v1/workspace/*`. */
export const workspaceSyncRouter = createWorkspaceSyncRouter({
  changes: {
    list: workspaceSyncProcedure
      .input(ListChanges)
      .output(ChangePage)
      .query(({ ctx: { db, caller, waiting }, input }) =>
        waitForChanges(db, { caller, scope: ownedByMembers(caller) }, input, waiting),
      ),
  },
});
export type WorkspaceSyncRouter = typeof workspaceSyncRouter;
