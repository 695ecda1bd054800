import { MeetingRef, RetentionInput } from "@minutes/contract";
import {
  deleteRetentionRule,
  findWorkspace,
  holdMeeting,
  listRetentionRules,
  previewRetention,
  releaseMeeting,
  setRetentionRule,
} from "@minutes/core";
import { z } from "zod";
import { operatorProcedure } from "../operator/procedures.js";

/** A workspace's id or name. */
const InWorkspace = z.strictObject({ workspace: z.string().min(1) });

/** How long workspaces keep their meetings, and which are on hold. */
export const retention = {
  list: operatorProcedure
    .input(InWorkspace)
    .query(async ({ ctx: { db, actor }, input }) =>
      listRetentionRules(db, actor, (await findWorkspace(db, input.workspace)).id),
    ),
  set: operatorProcedure
    .input(RetentionInput.rule.extend(InWorkspace.shape))
    .mutation(async ({ ctx: { db, actor }, input: { workspace, ...rule } }) =>
      setRetentionRule(db, actor, (await findWorkspace(db, workspace)).id, rule),
    ),
  delete: operatorProcedure.input(RetentionInput.ruleRef).mutation(async ({ ctx, input: { ruleId } }) => {
    await deleteRetentionRule(ctx.db, ctx.actor, ruleId);
    return { id: ruleId };
  }),
  preview: operatorProcedure
    .input(RetentionInput.preview.unwrap().extend(InWorkspace.shape))
    .query(async ({ ctx: { db, actor }, input: { workspace, ...change } }) =>
      previewRetention(db, actor, (await findWorkspace(db, workspace)).id, change),
    ),
  hold: operatorProcedure.input(MeetingRef).mutation(async ({ ctx, input: { meetingId } }) => {
    await holdMeeting(ctx.db, ctx.actor, meetingId);
    return { id: meetingId };
  }),
  release: operatorProcedure.input(MeetingRef).mutation(async ({ ctx, input: { meetingId } }) => {
    await releaseMeeting(ctx.db, ctx.actor, meetingId);
    return { id: meetingId };
  }),
};
