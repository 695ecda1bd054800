import { Email, KeyRestrictions, Name, PLAN_LIMITS, type Plan, SettingsInput } from "@minutes/contract";
import {
  createIngestKey,
  createPersonalKey,
  createWorkspaceKey,
  keyManagementProcedures,
  listIngestKeys,
  listKeys,
  regenerateKey,
  revokeKey,
  toSuccess,
} from "@minutes/core";
import { z } from "zod";
import type { OperatorCommand } from "./cli/command.js";
import { type Columns, print, printDone, printTable } from "./cli/output.js";
import { sampleProcedure, UserRef, userProcedure } from "./operator/procedures.js";

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
  disable: keyManagementProcedures.disable,
  enable: keyManagementProcedures.enable,
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
  /** The keys of the user's workspace. */
  list: userProcedure
    .input(UserRef)
    .query(({ ctx }) => listIngestKeys(ctx.db, ctx.actor, ctx.user.workspaceId)),
  revoke: keyManagementProcedures.revokeIngest,
};

/** Adds `minutes keys …`. */
export function addKeysCommands(program: OperatorCommand<{ keys: typeof keys }>): void {
  const commands = program.command("keys").description("API keys");

  commands
    .add("create <email>", "create a personal key for a user; its value is shown once")
    .option("--workspace", "create a workspace key instead; the user must be an admin of the workspace")
    .option("--name <name>", "display name")
    .option("--read-only", "read-only: it can't change or delete anything")
    .option("--expires <date>", "expiry: a date-time with a zone, or a day, at whose end in UTC it expires")
    .run(async ({ keys }, email, { workspace, name, readOnly, expires: expiresAt, ...options }) => {
      const kind = workspace ? "workspace" : "personal";
      const access = readOnly ? "read" : undefined;
      const { plan, ...created } = await keys.create.mutate({ email, kind, name, access, expiresAt });
      print(
        options,
        created,
        [created.key],
        [`${created.id} is a ${kind} key. Its value is shown only this once.`, ...describePlan(plan)],
      );
    });

  commands
    .add("list <email>", "list a user's keys and the keys of their workspace")
    .run(async ({ keys }, email, options) =>
      printTable(options, await keys.list.query({ email }), {
        ID: ({ id }) => id,
        KIND: ({ kind }) => kind,
        NAME: ({ name }) => name,
        KEY: toShortKey,
        ACCESS: ({ access }) => access,
        STATE: toState,
        EXPIRES: ({ expiresAt }) => expiresAt,
        ...USE,
      }),
    );

  commands
    .add("regenerate <keyId>", "give a key a new value; the old value stops working immediately")
    .run(async ({ keys }, keyId, options) => {
      const created = await keys.regenerate.mutate({ keyId });
      print(options, created, [created.key], ["The new value is shown only this once."]);
    });

  for (const [name, description, state] of [
    ["disable", "disable a key until it is enabled again", "disabled"],
    ["enable", "enable a disabled key", "enabled"],
    ["revoke", "revoke a key permanently", "revoked"],
  ] as const) {
    commands.add(`${name} <keyId>`, description).run(async ({ keys }, keyId, options) => {
      await keys[name].mutate({ keyId });
      printDone(options, { id: keyId }, `${keyId} is ${state}.`);
    });
  }
}

/** Adds `minutes ingest-keys …`. */
export function addIngestKeysCommands(program: OperatorCommand<{ ingestKeys: typeof ingestKeys }>): void {
  const commands = program
    .command("ingest-keys")
    .description("credentials of recorders and importers, valid only for /ingest/v1");

  commands
    .add("create <email>", "create a credential for the workspace of a user, who must be its admin")
    .option("--name <name>", "display name")
    .addHelpText("after", "\nIts value is shown only once.")
    .run(async ({ ingestKeys }, email, { name, ...options }) => {
      const created = await ingestKeys.create.mutate({ email, name });
      const sentence = `${created.id} is an ingest key. Its value is shown only this once.`;
      print(options, created, [created.key], [sentence]);
    });

  commands
    .add("list <email>", "list the credentials of a user's workspace")
    .run(async ({ ingestKeys }, email, options) =>
      printTable(options, await ingestKeys.list.query({ email }), {
        ID: ({ id }) => id,
        NAME: ({ name }) => name,
        KEY: toShortKey,
        STATE: ({ revokedAt }) => (revokedAt === null ? "enabled" : "revoked"),
        ...USE,
      }),
    );

  commands
    .add("revoke <keyId>", "revoke a credential permanently")
    .run(async ({ ingestKeys }, keyId, options) => {
      await ingestKeys.revoke.mutate({ keyId });
      printDone(options, { id: keyId }, `${keyId} is revoked.`);
    });
}

/** Who created a key, and when it was used last. */
const USE: Columns<{ createdBy: { email: string } | null; lastUsedAt: string | null }> = {
  "CREATED BY": ({ createdBy }) => createdBy?.email ?? null,
  "LAST USED": ({ lastUsedAt }) => lastUsedAt,
};

const toShortKey = ({ prefix, lastFour }: { prefix: string; lastFour: string }) => `${prefix}…${lastFour}`;

interface KeyTimes {
  readonly revokedAt: string | null;
  readonly disabledAt: string | null;
  readonly expiresAt: string | null;
}

function toState({ revokedAt, disabledAt, expiresAt }: KeyTimes): string {
  if (revokedAt !== null) return "revoked";
  if (expiresAt !== null && Date.parse(expiresAt) <= Date.now()) return "expired";
  return disabledAt === null ? "enabled" : "disabled";
}

const describePlan = (plan: string): string[] =>
  PLAN_LIMITS[plan as Plan]?.apiAccess
    ? []
    : [
        `Keys work on the pro, team and enterprise plans. The workspace's plan is ${plan}: ` +
          "change it with `minutes workspaces plan`.",
      ];
