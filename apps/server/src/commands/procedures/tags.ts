import { LIMITS, TagRef, trimmedText } from "@minutes/contract";
import { createTag, deleteTag, getTag, listOwnTags, renameTag } from "@minutes/core";
import { z } from "zod";
import { operatorProcedure, UserRef, userProcedure } from "../operator/procedures.js";
import { toUser } from "./membership.js";

const Name = trimmedText(1, LIMITS.tagNameMax);

/** Tags of users' meetings. */
export const tags = {
  list: userProcedure.input(UserRef).query(async ({ ctx }) => {
    const own = await listOwnTags(ctx.db, ctx.user.userId);
    return own.map((tag) => ({ ...tag, sharedWith: tag.sharedWith.map(toUser) }));
  }),
  show: operatorProcedure.input(TagRef).query(async ({ ctx, input }) => {
    const tag = await getTag(ctx.db, ctx.actor, input.tagId);
    return { ...tag, sharedWith: tag.sharedWith.map(toUser) };
  }),
  create: userProcedure
    .input(z.strictObject({ user: z.string(), name: Name }))
    .mutation(({ ctx, input: { name } }) => createTag(ctx.db, ctx.actor, ctx.user.userId, { name })),
  rename: operatorProcedure
    .input(TagRef.extend({ name: Name }))
    .mutation(async ({ ctx, input: { tagId: id, name } }) => {
      await renameTag(ctx.db, ctx.actor, id, name);
      return { id, name };
    }),
  delete: operatorProcedure.input(TagRef).mutation(async ({ ctx, input: { tagId: id } }) => {
    await deleteTag(ctx.db, ctx.actor, id);
    return { id };
  }),
};
