import { MeetingImport, SettingsInput } from "@minutes/contract";
import {
  audit,
  importMeeting,
  listMeetingShares,
  listOwnTags,
  shareMeeting,
  shareTag,
  toSuccess,
  unshareMeeting,
  unshareTag,
} from "@minutes/core";
import { operatorProcedure, UserRef, userProcedure } from "./procedures.js";

const { meeting, meetingShare, tagShare } = SettingsInput;

/** Meetings: their import, and to whom they are shown. */
export const meetings = {
  import: operatorProcedure.input(MeetingImport).mutation(async ({ ctx: { db, actor }, input }) => {
    const imported = await importMeeting(db, input);
    if (imported.created) await audit(db, actor, "import.meeting", imported.meetingId);
    return imported;
  }),
  share: userProcedure
    .input(meetingShare)
    .mutation(({ ctx, input }) =>
      toSuccess(shareMeeting(ctx.db, ctx.actor, input.meetingId, ctx.user.userId)),
    ),
  unshare: userProcedure
    .input(meetingShare)
    .mutation(({ ctx, input }) =>
      toSuccess(unshareMeeting(ctx.db, ctx.actor, input.meetingId, ctx.user.userId)),
    ),
};

export const shares = {
  /** The members to whom a meeting is shown directly, not through a tag. */
  list: operatorProcedure
    .input(meeting)
    .query(({ ctx, input }) => listMeetingShares(ctx.db, ctx.actor, input.meetingId)),
};

export const tags = {
  /** A user's own tags. */
  list: userProcedure.input(UserRef).query(({ ctx }) => listOwnTags(ctx.db, ctx.user.userId)),
  share: userProcedure
    .input(tagShare)
    .mutation(({ ctx, input }) => toSuccess(shareTag(ctx.db, ctx.actor, input.tagId, ctx.user.userId))),
  unshare: userProcedure
    .input(tagShare)
    .mutation(({ ctx, input }) => toSuccess(unshareTag(ctx.db, ctx.actor, input.tagId, ctx.user.userId))),
};
