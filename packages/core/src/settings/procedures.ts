import type { Database } from "@minutes/db";
import type { Actor } from "../actor.js";
import type { PasskeySite } from "../identity/index.js";
import type { Mailer } from "../mailer.js";
import type { RequestStatistics } from "../rate-limit/index.js";
import type { SignedInUser } from "../sessions/index.js";
import { createProcedureBuilders } from "../trpc/index.js";
import type { WebhookSettings } from "../webhooks/index.js";

/** What a procedure receives that the settings API and the operator's command line share. */
export interface ManagementContext {
  readonly db: Database;
  /** Who calls. Each domain function checks what they may do. */
  readonly actor: Actor;
  readonly webhooks: WebhookSettings;
}

/** What every procedure under `/settings/v1` receives. Its actor is the signed-in user. */
export interface SettingsContext extends ManagementContext {
  readonly user: SignedInUser;
  /** Network address of the caller. */
  readonly address: string;
  /** Where the installation is reached, such as `https://minutes.example.com`. */
  readonly publicUrl: string;
  /** Null without a mail server. */
  readonly mailer: Mailer | null;
  /** Null where passkeys are turned off or can't work. */
  readonly passkeySite: PasskeySite | null;
  /** Counts the requests of API keys and recorders. */
  readonly requests: RequestStatistics;
}

/** Builds procedures that do the same for a signed-in user and for the operator. */
export const { procedure: managementProcedure } = createProcedureBuilders<ManagementContext>();

/** Builds the procedures that only a signed-in user reaches. */
export const { procedure: settingsProcedure, router: createSettingsRouter } =
  createProcedureBuilders<SettingsContext>();

/** Answers a call that has nothing to return, once its work is done. */
export async function toSuccess(work: Promise<void>): Promise<{ success: true }> {
  await work;
  return { success: true };
}
