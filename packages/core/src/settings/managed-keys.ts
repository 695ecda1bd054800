import { SettingsInput } from "@minutes/contract";
import { disableKey, enableKey, regenerateKey, revokeIngestKey, revokeKey } from "../keys/index.js";
import { managementProcedure, succeed } from "./procedures.js";

/** What can be done to an API key that exists. */
export const managedKeys = {
  regenerate: managementProcedure
    .input(SettingsInput.key)
    .mutation(({ ctx, input }) => regenerateKey(ctx.db, ctx.actor, input.keyId)),
  disable: managementProcedure
    .input(SettingsInput.key)
    .mutation(({ ctx, input }) => succeed(disableKey(ctx.db, ctx.actor, input.keyId))),
  enable: managementProcedure
    .input(SettingsInput.key)
    .mutation(({ ctx, input }) => succeed(enableKey(ctx.db, ctx.actor, input.keyId))),
  revoke: managementProcedure
    .input(SettingsInput.key)
    .mutation(({ ctx, input }) => succeed(revokeKey(ctx.db, ctx.actor, input.keyId))),
  revokeIngest: managementProcedure
    .input(SettingsInput.key)
    .mutation(({ ctx, input }) => succeed(revokeIngestKey(ctx.db, ctx.actor, input.keyId))),
};
