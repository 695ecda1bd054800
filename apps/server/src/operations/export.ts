import { Email, ExportRecord, Id } from "@minutes/contract";
import { exportHead, exportMeeting, findUser, findWorkspace, restoreRecord } from "@minutes/core";
import { z } from "zod";
import { operation } from "./operation.js";

export const exportOperations = {
  /** Everything but the meetings, and their ids; of one user, or of everybody in a workspace. */
  "export.head": operation(
    z.union([z.strictObject({ user: Email }), z.strictObject({ workspace: z.string().min(1) })]),
    async ({ db }, scope) =>
      "user" in scope
        ? exportHead(db, { userId: (await findUser(db, scope.user)).userId })
        : exportHead(db, { workspaceId: (await findWorkspace(db, scope.workspace)).id }),
  ),

  "export.meeting": operation(z.strictObject({ meetingId: Id }), ({ db }, { meetingId }) =>
    exportMeeting(db, meetingId),
  ),

  "restore.record": operation(ExportRecord, async ({ db }, record) => ({
    created: await restoreRecord(db, record),
  })),
};
