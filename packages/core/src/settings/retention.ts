import {
  MeetingHold,
  MeetingRef,
  NoInput,
  RetentionInput,
  RetentionPreview,
  RetentionRule,
  RetentionRules,
  Success,
} from "@minutes/contract";
import {
  deleteRetentionRule,
  getHold,
  holdMeeting,
  listRetentionRules,
  previewRetention,
  releaseMeeting,
  setRetentionRule,
} from "../retention/index.js";
import { settingsProcedure, toSuccess } from "./procedures.js";

/** How long the workspace keeps its meetings, for admins; holds also for the meeting's owner. */
export const retention = {
  list: settingsProcedure
    .input(NoInput)
    .output(RetentionRules)
    .query(async ({ ctx: { db, actor, user } }) => ({
      rules: await listRetentionRules(db, actor, user.workspaceId),
    })),
  set: settingsProcedure
    .input(RetentionInput.rule)
    .output(RetentionRule)
    .mutation(({ ctx: { db, actor, user }, input }) => setRetentionRule(db, actor, user.workspaceId, input)),
  delete: settingsProcedure
    .input(RetentionInput.ruleRef)
    .output(Success)
    .mutation(({ ctx, input }) => toSuccess(deleteRetentionRule(ctx.db, ctx.actor, input.ruleId))),
  preview: settingsProcedure
    .input(RetentionInput.preview)
    .output(RetentionPreview)
    .query(({ ctx: { db, actor, user }, input }) => previewRetention(db, actor, user.workspaceId, input)),
  getHold: settingsProcedure
    .input(MeetingRef)
    .output(MeetingHold)
    .query(({ ctx, input }) => getHold(ctx.db, ctx.actor, input.meetingId)),
  hold: settingsProcedure
    .input(MeetingRef)
    .output(Success)
    .mutation(({ ctx, input }) => toSuccess(holdMeeting(ctx.db, ctx.actor, input.meetingId))),
  release: settingsProcedure
    .input(MeetingRef)
    .output(Success)
    .mutation(({ ctx, input }) => toSuccess(releaseMeeting(ctx.db, ctx.actor, input.meetingId))),
};
