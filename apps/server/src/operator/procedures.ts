import { Email } from "@minutes/contract";
import { type Actor, findUser, type WebhookSettings } from "@minutes/core";
import type { Database } from "@minutes/db";
import { initTRPC } from "@trpc/server";
import superjson from "superjson";
import { z } from "zod";
import { readSample } from "../demo/keys-file.js";

/** What every operator procedure receives. */
export interface OperatorContext {
  readonly db: Database;
  /** The operator, who may do everything. */
  readonly actor: Actor;
  readonly webhooks: WebhookSettings;
  /** Directory of the embedded database and of the sample's keys; null on PostgreSQL. */
  readonly dataDir: string | null;
}

// The transformer tells tRPC's client to wrap its input in `{"json": …}`; `serveRoutes` reads that envelope itself.
const builders = initTRPC.context<OperatorContext>().create({ transformer: superjson });

/** Builds the procedures that only the operator's command line reaches. */
export const { procedure: operatorProcedure, router: createOperatorRouter } = builders;

/** Names a user by e-mail address. */
export const UserRef = z.strictObject({ email: Email });

/**
 * Builds procedures about the user whose e-mail address is in the input, and adds that user to the context.
 * @throws ApiError 404 for an unknown address.
 */
export const userProcedure = operatorProcedure
  .input(z.object({ email: Email }))
  .use(async ({ ctx, input, next }) => next({ ctx: { user: await findUser(ctx.db, input.email) } }));

/** Builds procedures that can end one of the sample's keys: its file is brought up to date after each call. */
export const sampleProcedure = operatorProcedure.use(async ({ ctx, next }) => {
  const result = await next();
  await readSample(ctx.db, ctx.dataDir);
  return result;
});

/** The answer of a call that has nothing to return. */
export const succeed = async (work: Promise<void>): Promise<{ success: true }> => {
  await work;
  return { success: true };
};
