import { Id, SettingsInput } from "@minutes/contract";
import { listMeetingShares, shareMeeting, shareTag, unshareMeeting, unshareTag } from "@minutes/core";
import { z } from "zod";
import { operatorProcedure, userProcedure } from "../operator/procedures.js";
import { toUser } from "./membership.js";

/** A meeting or a tag, by id, and a member. */
const Share = z.strictObject({ id: Id, user: z.string() });

const isTag = (id: string): boolean => id.startsWith("tag_");

/** Shares of meetings and tags with members of the same workspace. */
export const shares = {
  /** Lists members with a direct share of a meeting, excluding shares through tags. */
  list: operatorProcedure
    .input(SettingsInput.meeting)
    .query(async ({ ctx, input }) =>
      (await listMeetingShares(ctx.db, ctx.actor, input.meetingId)).map(toUser),
    ),
  create: userProcedure.input(Share).mutation(async ({ ctx: { db, actor, user }, input: { id } }) => {
    await (isTag(id) ? shareTag : shareMeeting)(db, actor, id, user.userId);
    return { id, with: user.email };
  }),
  delete: userProcedure.input(Share).mutation(async ({ ctx: { db, actor, user }, input: { id } }) => {
    await (isTag(id) ? unshareTag : unshareMeeting)(db, actor, id, user.userId);
    return { id, with: user.email };
  }),
};
