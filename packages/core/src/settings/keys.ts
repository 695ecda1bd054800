import {
  KeyRef,
  NewKey,
  NewKeyValue,
  NoInput,
  PersonalKeyList,
  Success,
  WorkspaceKeyList,
} from "@minutes/contract";
import { requireRecentSignIn } from "../identity/index.js";
import {
  createIngestKey,
  createPersonalKey,
  createWorkspaceKey,
  disableKey,
  enableKey,
  listIngestKeys,
  listKeys,
  listWorkspaceKeys,
  regenerateKey,
  revokeKey,
} from "../keys/index.js";
import { managementProcedure, settingsProcedure, toSuccess } from "./procedures.js";

const change = (changeKey: typeof revokeKey, family?: Parameters<typeof revokeKey>[3]) =>
  managementProcedure
    .input(KeyRef)
    .output(Success)
    .mutation(({ ctx, input }) => toSuccess(changeKey(ctx.db, ctx.actor, input.keyId, family)));

/** Procedures for existing keys. */
export const keyManagementProcedures = {
  disable: change(disableKey),
  enable: change(enableKey),
  revoke: change(revokeKey),
  disableIngest: change(disableKey, "ingest-key"),
  enableIngest: change(enableKey, "ingest-key"),
  revokeIngest: change(revokeKey, "ingest-key"),
};

const createKey = { personal: createPersonalKey, workspace: createWorkspaceKey };

/** API keys, and the ingest keys of recorders. Only `create` and `regenerate` return a key's value. */
export const keys = {
  ...keyManagementProcedures,
  list: settingsProcedure
    .input(NoInput)
    .output(PersonalKeyList)
    .query(async ({ ctx }) => ({
      personal: await listKeys(ctx.db, { userId: ctx.user.userId }),
    })),
  listWorkspace: settingsProcedure
    .input(NoInput)
    .output(WorkspaceKeyList)
    .query(async ({ ctx }) => ({
      workspace: await listWorkspaceKeys(ctx.db, ctx.actor, ctx.user.workspaceId),
      ingest: await listIngestKeys(ctx.db, ctx.actor, ctx.user.workspaceId),
    })),
  create: settingsProcedure
    .input(NewKey)
    .output(NewKeyValue)
    .mutation(async ({ ctx: { db, user }, input }) => {
      await requireRecentSignIn(db, user.sessionId);
      return input.kind === "ingest"
        ? createIngestKey(db, user.userId, input.name)
        : createKey[input.kind](db, user.userId, input.name, undefined, input);
    }),
  /** Creates a new value, which requires the same permission as a new key. */
  regenerate: settingsProcedure
    .input(KeyRef)
    .output(NewKeyValue)
    .mutation(async ({ ctx, input }) => {
      await requireRecentSignIn(ctx.db, ctx.user.sessionId);
      return regenerateKey(ctx.db, ctx.actor, input.keyId);
    }),
};
