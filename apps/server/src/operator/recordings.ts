import { Email } from "@minutes/contract";
import { listUnfinishedRecordings, managedRecordings } from "@minutes/core";
import { z } from "zod";
import { userProcedure } from "./procedures.js";

/** Recordings that are not completed. */
export const recordings = {
  ...managedRecordings,
  /** Those of a user, or of all members of their workspace. */
  list: userProcedure
    .input(z.strictObject({ email: Email, workspace: z.boolean().default(false) }))
    .query(({ ctx: { db, actor, user }, input: { workspace } }) =>
      listUnfinishedRecordings(
        db,
        actor,
        workspace ? { workspaceId: user.workspaceId } : { userId: user.userId },
      ),
    ),
};
