import { EditMeeting, ListMyMeetings, MeetingRef, RestoreVersion } from "@minutes/contract";
import {
  audit,
  deleteMeeting,
  type Editor,
  editMeeting,
  getMeeting,
  listMeetings,
  listVersions,
  ownedBy,
  requireMeetingOwner,
  restoreVersion,
  toActorName,
  visibleTo,
} from "@minutes/core";
import { z } from "zod";
import { type OperatorContext, operatorProcedure, userProcedure } from "../operator/procedures.js";

/** Returns the operator as editor of a meeting. @throws ApiError 404 */
async function requireEditor(
  { db, actor }: Pick<OperatorContext, "db" | "actor">,
  meetingId: string,
): Promise<Editor> {
  const { ownerId: userId } = await requireMeetingOwner(db, actor, meetingId);
  return { scope: ownedBy({ userId }), reads: visibleTo({ userId }), actor: toActorName(actor), refusal: "" };
}

/** Meetings. Reading them is recorded in the audit log. */
export const meetings = {
  /** The meetings that a user can read, newest first. */
  list: userProcedure
    .input(ListMyMeetings.unwrap().extend({ user: z.string() }))
    .query(async ({ ctx: { db, actor, user }, input: { tag, user: _, ...page } }) => {
      await audit(db, actor, "meeting.list", user.userId);
      return listMeetings(db, visibleTo(user, tag), page);
    }),
  show: operatorProcedure.input(MeetingRef).query(async ({ ctx: { db, actor }, input }) => {
    const { ownerId: userId } = await requireMeetingOwner(db, actor, input.meetingId);
    await audit(db, actor, "meeting.show", input.meetingId);
    return getMeeting(db, ownedBy({ userId }), input.meetingId);
  }),
  edit: operatorProcedure.input(EditMeeting).mutation(async ({ ctx, input }) => {
    const edited = await editMeeting(ctx.db, await requireEditor(ctx, input.meetingId), input);
    await audit(ctx.db, ctx.actor, "meeting.edit", input.meetingId);
    return edited;
  }),
  versions: operatorProcedure.input(MeetingRef).query(async ({ ctx, input }) => {
    const versions = await listVersions(ctx.db, await requireEditor(ctx, input.meetingId), input.meetingId);
    await audit(ctx.db, ctx.actor, "meeting.versions", input.meetingId);
    return versions;
  }),
  restoreVersion: operatorProcedure.input(RestoreVersion).mutation(async ({ ctx, input }) => {
    const restored = await restoreVersion(ctx.db, await requireEditor(ctx, input.meetingId), input);
    await audit(ctx.db, ctx.actor, "meeting.restore-version", input.meetingId);
    return restored;
  }),
  delete: operatorProcedure.input(MeetingRef).mutation(async ({ ctx: { db, actor }, input }) => {
    const { ownerId: userId, meetingId } = await requireMeetingOwner(db, actor, input.meetingId);
    await deleteMeeting(
      db,
      { scope: ownedBy({ userId }), refusal: "", actor: toActorName(actor) },
      meetingId,
    );
    return { id: meetingId };
  }),
};
