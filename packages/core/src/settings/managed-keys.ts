import { SettingsInput } from "@minutes/contract";
import { disableKey, enableKey, regenerateKey, revokeIngestKey, revokeKey } from "../keys/index.js";
import { managementProcedure, toSuccess } from "./procedures.js";

/** What can be done to an API key that exists. */
export const managedKeys = {
  regenerate: managementProcedure
    .input(SettingsInput.key)
    .mutation(({ ctx, input }) => regenerateKey(ctx.db, ctx.actor, input.keyId)),
  disable: managementProcedure
    .input(SettingsInput.key)
    .mutation(({ ctx, input }) => toSuccess(disableKey(ctx.db, ctx.actor, input.keyId))),
  enable: managementProcedure
    .input(SettingsInput.key)
    .mutation(({ ctx, input }) => toSuccess(enableKey(ctx.db, ctx.actor, input.keyId))),
  revoke: managementProcedure
    .input(SettingsInput.key)
    .mutation(({ ctx, input }) => toSuccess(revokeKey(ctx.db, ctx.actor, input.keyId))),
  revokeIngest: managementProcedure
    .input(SettingsInput.key)
    .mutation(({ ctx, input }) => toSuccess(revokeIngestKey(ctx.db, ctx.actor, input.keyId))),
};
