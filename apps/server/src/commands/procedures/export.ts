import { MeetingRef } from "@minutes/contract";
import { audit, exportMeeting, exportNonMeetings, findUserByEmailOrId, findWorkspace } from "@minutes/core";
import { z } from "zod";
import { operatorProcedure } from "../operator/procedures.js";

const Scope = z.union([
  z.strictObject({ user: z.string() }),
  z.strictObject({ workspace: z.string().min(1) }),
]);

/** Named `exports` because `export` is a reserved word. */
export const exports = {
  /** Everything except meetings, and the meetings' ids, for one user or all members of a workspace. */
  begin: operatorProcedure.input(Scope).mutation(async ({ ctx: { db, caller }, input }) => {
    if ("user" in input) {
      const { userId } = await findUserByEmailOrId(db, input.user);
      await audit(db, caller, "export.user", userId);
      return exportNonMeetings(db, { userId });
    }
    const { id: workspaceId } = await findWorkspace(db, input.workspace);
    await audit(db, caller, "export.workspace", workspaceId);
    return exportNonMeetings(db, { workspaceId });
  }),
  meeting: operatorProcedure
    .input(MeetingRef)
    .query(({ ctx, input }) => exportMeeting(ctx.db, input.meetingId)),
};
