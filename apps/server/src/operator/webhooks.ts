import { Email, SettingsInput } from "@minutes/contract";
import {
  createPersonalWebhook,
  createWorkspaceWebhook,
  getWebhook,
  listWebhooks,
  managedWebhooks,
} from "@minutes/core";
import { UserRef, userProcedure } from "./procedures.js";

const createWebhook = { personal: createPersonalWebhook, workspace: createWorkspaceWebhook };

/** Webhooks and their delivery log. */
export const webhooks = {
  ...managedWebhooks,
  create: userProcedure
    .input(SettingsInput.newWebhook.safeExtend({ email: Email }))
    .mutation(async ({ ctx, input: { kind, email: _, ...webhook } }) => {
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
