import type { Database } from "@minutes/db";
import type { Manager, UserCaller } from "../access/callers.js";
import { type Context, createProcedureBuilders } from "../api/index.js";
import type { Mailer } from "../lib/mailer.js";
import type { PasskeySite, Visitor } from "../sign-in/index.js";
import type { SignedInUser } from "../sign-in/sessions/index.js";

/** Context of procedures shared by the settings API and the operator's command line. */
export interface ManagementContext {
  readonly db: Database;
  /** The caller. Each domain function checks their permissions. */
  readonly actor: Manager;
}

/** Context of every procedure under `/settings/v1`. Its actor is the signed-in user. */
export interface SettingsContext extends ManagementContext, Context {
  readonly actor: UserCaller;
  readonly user: SignedInUser;
  readonly visitor: Visitor;
  /** Public URL of the installation, such as `https://minutes.example.com`. */
  readonly publicUrl: string;
  /** Null without a mail server. */
  readonly mailer: Mailer | null;
  /** Null if passkeys are turned off or not possible. */
  readonly passkeySite: PasskeySite | null;
}

/** Builds procedures for signed-in users only. */
export const { procedure: settingsProcedure, router: createSettingsRouter } =
  createProcedureBuilders<SettingsContext>();

/** Answers a call without a result once its work is done. */
export async function toSuccess(work: Promise<void>): Promise<{ success: true }> {
  await work;
  return { success: true };
}
