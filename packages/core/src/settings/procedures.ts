import type { Database } from "@minutes/db";
import type { Actor } from "../actor.js";
import type { SignedInUser } from "../sessions/index.js";
import { createBuilders } from "../trpc/index.js";
import type { WebhookSettings } from "../webhooks/index.js";

/** What every procedure under `/settings/v1` receives. */
export interface SettingsContext {
  readonly db: Database;
  readonly user: SignedInUser;
  readonly webhooks: WebhookSettings;
}

/** Builds the procedures that only a signed-in user reaches. */
export const { procedure: settingsProcedure, router: createSettingsRouter } =
  createBuilders<SettingsContext>();

/** The signed-in user as an actor: each function that is called checks what they may do. */
export const toActor = ({ user }: SettingsContext): Actor => ({ kind: "user", userId: user.userId });

/** The answer of a call that has nothing to return. */
export const SUCCESS = { success: true } as const;
