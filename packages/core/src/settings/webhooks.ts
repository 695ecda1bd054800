import { NoInput, SettingsInput } from "@minutes/contract";
import { createPersonalWebhook, createWorkspaceWebhook, listVisibleWebhooks } from "../webhooks/index.js";
import { managedWebhooks } from "./managed-webhooks.js";
import { settingsProcedure } from "./procedures.js";

const createWebhook = { personal: createPersonalWebhook, workspace: createWorkspaceWebhook };

/** Webhooks, for their creators and for the admins of a workspace. Only `create` and `regenerate` answer with a secret. */
export const webhooks = {
  ...managedWebhooks,
  list: settingsProcedure.input(NoInput).query(({ ctx }) => listVisibleWebhooks(ctx.db, ctx.user)),
  create: settingsProcedure
    .input(SettingsInput.newWebhook)
    .mutation(({ ctx, input: { kind, ...webhook } }) =>
      createWebhook[kind](ctx.db, ctx.webhooks, ctx.user.userId, webhook),
    ),
};
