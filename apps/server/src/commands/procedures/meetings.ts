import { ListMyMeetings, SettingsInput } from "@minutes/contract";
import {
  audit,
  deleteMeeting,
  getMeeting,
  listMeetings,
  ownedBy,
  requireMeetingOwner,
  toActorName,
  visibleTo,
} from "@minutes/core";
import { z } from "zod";
import { operatorProcedure, userProcedure } from "../operator/procedures.js";

/** Meetings. Reading them is recorded in the audit log. */
export const meetings = {
  /** The meetings that a user can read, newest first. */
  list: userProcedure
    .input(ListMyMeetings.unwrap().extend({ user: z.string() }))
    .query(async ({ ctx: { db, actor, user }, input: { tag, user: _, ...page } }) => {
      await audit(db, actor, "meeting.list", user.userId);
      return listMeetings(db, visibleTo(user, tag), page);
    }),
  show: operatorProcedure.input(SettingsInput.meeting).query(async ({ ctx: { db, actor }, input }) => {
    const { ownerId: userId } = await requireMeetingOwner(db, actor, input.meetingId);
    await audit(db, actor, "meeting.show", input.meetingId);
    return getMeeting(db, ownedBy({ userId }), input.meetingId);
  }),
  delete: operatorProcedure.input(SettingsInput.meeting).mutation(async ({ ctx: { db, actor }, input }) => {
    const { ownerId: userId, meetingId } = await requireMeetingOwner(db, actor, input.meetingId);
    await deleteMeeting(
      db,
      { scope: ownedBy({ userId }), refusal: "", actor: toActorName(actor) },
      meetingId,
    );
    return { id: meetingId };
  }),
};
