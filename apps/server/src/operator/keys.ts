import { Email, KeyRestrictions, Name, SettingsInput } from "@minutes/contract";
import {
  createIngestKey,
  createPersonalKey,
  createWorkspaceKey,
  listIngestKeys,
  listKeys,
  managedKeys,
  regenerateKey,
  revokeKey,
  toSuccess,
} from "@minutes/core";
import { z } from "zod";
import { sampleProcedure, UserRef, userProcedure } from "./procedures.js";

const NewKey = z.strictObject({
  email: Email,
  kind: z.enum(["personal", "workspace"]),
  name: Name.default("Command line"),
  ...KeyRestrictions,
});
const NewIngestKey = z.strictObject({ email: Email, name: Name.default("Command line") });

const createKey = { personal: createPersonalKey, workspace: createWorkspaceKey };

/** API keys. */
export const keys = {
  disable: managedKeys.disable,
  enable: managedKeys.enable,
  create: userProcedure.input(NewKey).mutation(async ({ ctx, input: { kind, name, ...terms } }) => {
    const { userId, plan } = ctx.user;
    return { ...(await createKey[kind](ctx.db, userId, name, ctx.actor, terms)), kind, name, plan };
  }),
  /** A user's personal keys, then the keys of their workspace. */
  list: userProcedure
    .input(UserRef)
    .query(async ({ ctx: { db, user } }) => [
      ...(await listKeys(db, { userId: user.userId })),
      ...(await listKeys(db, { workspaceId: user.workspaceId })),
    ]),
  regenerate: sampleProcedure
    .input(SettingsInput.key)
    .mutation(({ ctx, input }) => regenerateKey(ctx.db, ctx.actor, input.keyId)),
  revoke: sampleProcedure
    .input(SettingsInput.key)
    .mutation(({ ctx, input }) => toSuccess(revokeKey(ctx.db, ctx.actor, input.keyId))),
};

/** Credentials of recorders and importers. */
export const ingestKeys = {
  create: userProcedure.input(NewIngestKey).mutation(async ({ ctx, input: { name } }) => ({
    ...(await createIngestKey(ctx.db, ctx.user.userId, name)),
    name,
  })),
  /** Those of the user's workspace. */
  list: userProcedure
    .input(UserRef)
    .query(({ ctx }) => listIngestKeys(ctx.db, ctx.actor, ctx.user.workspaceId)),
  revoke: managedKeys.revokeIngest,
};
