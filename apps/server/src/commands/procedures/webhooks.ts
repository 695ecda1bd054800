import { NewWebhookOfKind } from "@minutes/contract";
import {
  createPersonalWebhook,
  createWorkspaceWebhook,
  getWebhook,
  listWebhooks,
  webhookManagementProcedures,
} from "@minutes/core";
import { z } from "zod";
import { UserRef, userProcedure } from "../operator/procedures.js";

const createWebhook = { personal: createPersonalWebhook, workspace: createWorkspaceWebhook };

/** Webhooks and their delivery logs. */
export const webhooks = {
  ...webhookManagementProcedures,
  create: userProcedure
    .input(NewWebhookOfKind.safeExtend({ user: z.string() }))
    .mutation(async ({ ctx, input: { kind, user: _, ...webhook } }) => {
      const { id, secret } = await createWebhook[kind](ctx.db, ctx.webhooks, ctx.user.userId, webhook);
      return { ...(await getWebhook(ctx.db, ctx.actor, id)), secret };
    }),
  /** A user's personal webhooks, then the webhooks of their workspace. */
  list: userProcedure
    .input(UserRef)
    .query(async ({ ctx: { db, user } }) => [
      ...(await listWebhooks(db, { userId: user.userId })),
      ...(await listWebhooks(db, { workspaceId: user.workspaceId })),
    ]),
};
