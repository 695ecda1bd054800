import { KeyRef, KeyRestrictions, Name } from "@minutes/contract";
import {
  createIngestKey,
  createKeyOfWorkspace,
  createPersonalKey,
  createWorkspaceKey,
  findWorkspace,
  getIngestKey,
  getKey,
  keyManagementProcedures,
  listIngestKeys,
  listKeys,
  regenerateKey,
  renameKey,
  revokeKey,
  toSuccess,
} from "@minutes/core";
import { z } from "zod";
import { operatorProcedure, sampleProcedure, UserRef, userProcedure } from "../operator/procedures.js";

const NewKey = z.strictObject({
  user: z.string(),
  kind: z.enum(["personal", "workspace"]),
  name: Name.default("Command line"),
  ...KeyRestrictions,
});
const NewKeyOfWorkspace = z.strictObject({
  workspace: z.string(),
  name: Name.default("Command line"),
  ...KeyRestrictions,
});
const NewIngestKey = z.strictObject({ user: z.string(), name: Name.default("Command line") });
const WorkspaceRef = z.strictObject({ workspace: z.string() });
const NewName = KeyRef.extend({ name: Name });

const createKey = { personal: createPersonalKey, workspace: createWorkspaceKey };

/** API keys. */
export const keys = {
  disable: keyManagementProcedures.disable,
  enable: keyManagementProcedures.enable,
  create: userProcedure.input(NewKey).mutation(async ({ ctx, input: { kind, name, ...terms } }) => {
    const { userId, plan } = ctx.user;
    return { ...(await createKey[kind](ctx.db, userId, name, ctx.actor, terms)), kind, name, plan };
  }),
  createForWorkspace: operatorProcedure
    .input(NewKeyOfWorkspace)
    .mutation(async ({ ctx: { db, actor }, input: { workspace, name, ...terms } }) => {
      const { id, plan } = await findWorkspace(db, workspace);
      return { ...(await createKeyOfWorkspace(db, actor, id, name, terms)), kind: "workspace", name, plan };
    }),
  listOfWorkspace: operatorProcedure
    .input(WorkspaceRef)
    .query(async ({ ctx: { db }, input }) =>
      listKeys(db, { workspaceId: (await findWorkspace(db, input.workspace)).id }),
    ),
  show: operatorProcedure.input(KeyRef).query(({ ctx, input }) => getKey(ctx.db, input.keyId)),
  rename: operatorProcedure
    .input(NewName)
    .mutation(({ ctx, input }) => toSuccess(renameKey(ctx.db, ctx.actor, input.keyId, input.name))),
  /** A user's personal keys, then the keys of their workspace. */
  list: userProcedure
    .input(UserRef)
    .query(async ({ ctx: { db, user } }) => [
      ...(await listKeys(db, { userId: user.userId })),
      ...(await listKeys(db, { workspaceId: user.workspaceId })),
    ]),
  regenerate: sampleProcedure
    .input(KeyRef)
    .mutation(({ ctx, input }) => regenerateKey(ctx.db, ctx.actor, input.keyId)),
  revoke: sampleProcedure
    .input(KeyRef)
    .mutation(({ ctx, input }) => toSuccess(revokeKey(ctx.db, ctx.actor, input.keyId))),
};

/** Credentials of recorders and importers. */
export const ingestKeys = {
  create: userProcedure.input(NewIngestKey).mutation(async ({ ctx, input: { name } }) => ({
    ...(await createIngestKey(ctx.db, ctx.user.userId, name)),
    name,
  })),
  createForWorkspace: operatorProcedure
    .input(WorkspaceRef.extend({ name: Name.default("Command line") }))
    .mutation(async ({ ctx: { db, actor }, input: { workspace, name } }) => {
      const { id } = await findWorkspace(db, workspace);
      return { ...(await createKeyOfWorkspace(db, actor, id, name, {}, "ingest-key")), name };
    }),
  listOfWorkspace: operatorProcedure
    .input(WorkspaceRef)
    .query(async ({ ctx: { db, actor }, input }) =>
      listIngestKeys(db, actor, (await findWorkspace(db, input.workspace)).id),
    ),
  show: operatorProcedure.input(KeyRef).query(({ ctx, input }) => getIngestKey(ctx.db, input.keyId)),
  rename: operatorProcedure
    .input(NewName)
    .mutation(({ ctx, input }) =>
      toSuccess(renameKey(ctx.db, ctx.actor, input.keyId, input.name, "ingest-key")),
    ),
  regenerate: operatorProcedure
    .input(KeyRef)
    .mutation(({ ctx, input }) => regenerateKey(ctx.db, ctx.actor, input.keyId, "ingest-key")),
  /** The keys of the user's workspace. */
  list: userProcedure
    .input(UserRef)
    .query(({ ctx }) => listIngestKeys(ctx.db, ctx.actor, ctx.user.workspaceId)),
  disable: keyManagementProcedures.disableIngest,
  enable: keyManagementProcedures.enableIngest,
  revoke: keyManagementProcedures.revokeIngest,
};
