import { Id } from "@minutes/contract";
import {
  findUserByEmailOrId,
  getTag,
  listShares,
  requireMeetingOwner,
  shareMeeting,
  shareTag,
  unshareMeeting,
  unshareTag,
} from "@minutes/core";
import { z } from "zod";
import { operatorProcedure, userProcedure } from "../operator/procedures.js";

/** A meeting or a tag, by id, and a member. */
const Share = z.strictObject({ id: Id, user: z.string() });

const isTag = (id: string): boolean => id.startsWith("tag_");

/** Shares of meetings and tags with members of the same workspace. */
export const shares = {
  /** Lists the direct shares of a meeting, a tag, or everything that a user owns. */
  list: operatorProcedure
    .input(z.strictObject({ of: z.string().min(1) }))
    .query(async ({ ctx: { db, actor }, input: { of } }) => {
      if (of.includes("@") || of.startsWith("usr_")) {
        const { userId } = await findUserByEmailOrId(db, of);
        return listShares(db, { userId });
      }
      await (isTag(of) ? getTag : requireMeetingOwner)(db, actor, of);
      return listShares(db, { id: of });
    }),
  create: userProcedure.input(Share).mutation(async ({ ctx: { db, actor, user }, input: { id } }) => {
    await (isTag(id) ? shareTag : shareMeeting)(db, actor, id, user.userId);
    return { id, with: user.email };
  }),
  delete: userProcedure.input(Share).mutation(async ({ ctx: { db, actor, user }, input: { id } }) => {
    await (isTag(id) ? unshareTag : unshareMeeting)(db, actor, id, user.userId);
    return { id, with: user.email };
  }),
};
