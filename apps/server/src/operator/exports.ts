import { Email, ExportRecord, SettingsInput } from "@minutes/contract";
import {
  audit,
  exportMeeting,
  exportNonMeetings,
  findUser,
  findWorkspace,
  restoreRecord,
} from "@minutes/core";
import { z } from "zod";
import { operatorProcedure } from "./procedures.js";

const Scope = z.union([z.strictObject({ user: Email }), z.strictObject({ workspace: z.string().min(1) })]);

/** Named `exports` because `export` is a reserved word. */
export const exports = {
  /** Everything but the meetings, and the meetings' ids: of one user, or of all members of a workspace. */
  begin: operatorProcedure.input(Scope).mutation(async ({ ctx: { db, actor }, input }) => {
    if ("user" in input) {
      const { userId } = await findUser(db, input.user);
      await audit(db, actor, "export.user", userId);
      return exportNonMeetings(db, { userId });
    }
    const { id: workspaceId } = await findWorkspace(db, input.workspace);
    await audit(db, actor, "export.workspace", workspaceId);
    return exportNonMeetings(db, { workspaceId });
  }),
  meeting: operatorProcedure
    .input(SettingsInput.meeting)
    .query(({ ctx, input }) => exportMeeting(ctx.db, input.meetingId)),
};

export const restore = {
  /** Stores one line of an export. */
  record: operatorProcedure.input(ExportRecord).mutation(async ({ ctx: { db, actor }, input }) => {
    const created = await restoreRecord(db, input);
    if (created && input.kind === "meeting") await audit(db, actor, "import.restore", input.id);
    return { created };
  }),
};
