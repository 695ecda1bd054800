import { Email, ExportRecord, SettingsInput } from "@minutes/contract";
import { exportHead, exportMeeting, findUser, findWorkspace, restoreRecord } from "@minutes/core";
import { z } from "zod";
import { operatorProcedure } from "./procedures.js";

const Scope = z.union([z.strictObject({ user: Email }), z.strictObject({ workspace: z.string().min(1) })]);

/** Named `exports` because `export` is a reserved word. */
export const exports = {
  /** Everything but the meetings, and the meetings' ids: of one user, or of all members of a workspace. */
  head: operatorProcedure
    .input(Scope)
    .query(async ({ ctx: { db }, input }) =>
      "user" in input
        ? exportHead(db, { userId: (await findUser(db, input.user)).userId })
        : exportHead(db, { workspaceId: (await findWorkspace(db, input.workspace)).id }),
    ),
  meeting: operatorProcedure
    .input(SettingsInput.meeting)
    .query(({ ctx, input }) => exportMeeting(ctx.db, input.meetingId)),
};

export const restore = {
  /** Stores one line of an export. */
  record: operatorProcedure
    .input(ExportRecord)
    .mutation(async ({ ctx, input }) => ({ created: await restoreRecord(ctx.db, input) })),
};
