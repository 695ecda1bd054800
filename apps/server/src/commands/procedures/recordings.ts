import { listUnfinishedRecordings, recordingManagementProcedures } from "@minutes/core";
import { z } from "zod";
import { userProcedure } from "../operator/procedures.js";

/** Unfinished recordings. */
export const recordings = {
  ...recordingManagementProcedures,
  /** The recordings of a user, or of all members of their workspace. */
  list: userProcedure
    .input(z.strictObject({ user: z.string(), workspace: z.boolean().default(false) }))
    .query(({ ctx: { db, actor, user }, input: { workspace } }) =>
      listUnfinishedRecordings(
        db,
        actor,
        workspace ? { workspaceId: user.workspaceId } : { userId: user.userId },
      ),
    ),
};
