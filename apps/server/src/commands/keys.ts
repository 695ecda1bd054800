import { PLAN_LIMITS, type Plan, parseBound } from "@minutes/contract";
import type { inferProcedureOutput } from "@trpc/server";
import { InvalidArgumentError } from "commander";
import type { Operator, OperatorCommand, Procedures } from "./cli/command.js";
import { UsageError } from "./cli/exit.js";
import { type Columns, formatTable, print, printDone, printTable } from "./cli/output.js";
import type { ingestKeys, keys } from "./procedures/keys.js";

function checkExpiry(text: string): string {
  if (parseBound(text, "end") !== null) return text;
  throw new InvalidArgumentError("It must be an ISO 8601 date, or a date-time with a zone.");
}

/** Adds `minutes keys …`. */
export function addKeysCommands(program: OperatorCommand<{ keys: typeof keys }>): void {
  const commands = program.command("keys").description("API keys; <user> is an e-mail address or an ID");

  commands
    .add("create [user]", "create a personal key for a user, or a workspace key; its value is shown once")
    .option(
      "--workspace [workspace]",
      "create a key of this workspace instead; of the user's own if they are its admin",
    )
    .option("--name <name>", "display name")
    .option("--read-only", "read-only: it can't change or delete anything")
    .option(
      "--expires <date>",
      "expiry: a date-time with a zone, or a day, at whose end in UTC it expires",
      checkExpiry,
    )
    .run(async ({ keys }, user, { workspace, name, readOnly, expires: expiresAt, ...options }) => {
      const kind = workspace ? "workspace" : "personal";
      const terms = { name, access: readOnly ? ("read" as const) : undefined, expiresAt };
      const { plan, ...created } = isNamed(user, workspace)
        ? await keys.createForWorkspace.mutate({ workspace, ...terms })
        : await keys.create.mutate({ user, kind, ...terms });
      print(
        options,
        created,
        [created.key],
        [`${created.id} is a ${kind} key. Its value is shown only once.`, ...describePlan(plan)],
      );
    });

  commands
    .add("list [user]", "list a user's keys and the keys of their workspace, or those of a workspace")
    .option("--workspace <workspace>", "the keys of this workspace, by ID or name")
    .run(async ({ keys }, user, { workspace, ...options }) => {
      const found = isNamed(user, workspace)
        ? await keys.listOfWorkspace.query({ workspace })
        : await keys.list.query({ user });
      printTable(options, found, KEY_COLUMNS);
    });

  addChanges(commands, "<key>", ({ keys }) => keys, KEY_COLUMNS);
}

/** Adds `minutes ingest-keys …`. */
export function addIngestKeysCommands(program: OperatorCommand<{ ingestKeys: typeof ingestKeys }>): void {
  const commands = program
    .command("ingest-keys")
    .description("credentials of recorders and importers, valid only for /ingest/v1");

  commands
    .add("create [user]", "create a credential for a workspace, or for that of a user who is its admin")
    .option("--workspace <workspace>", "the workspace, by ID or name")
    .option("--name <name>", "display name")
    .addHelpText("after", "\nIts value is shown only once.")
    .run(async ({ ingestKeys }, user, { workspace, name, ...options }) => {
      const created = isNamed(user, workspace)
        ? await ingestKeys.createForWorkspace.mutate({ workspace, name })
        : await ingestKeys.create.mutate({ user, name });
      const sentence = `${created.id} is an ingest key. Its value is shown only once.`;
      print(options, created, [created.key], [sentence]);
    });

  commands
    .add("list [user]", "list the credentials of a workspace, or of a user's")
    .option("--workspace <workspace>", "the workspace, by ID or name")
    .run(async ({ ingestKeys }, user, { workspace, ...options }) => {
      const found = isNamed(user, workspace)
        ? await ingestKeys.listOfWorkspace.query({ workspace })
        : await ingestKeys.list.query({ user });
      printTable(options, found, INGEST_KEY_COLUMNS);
    });

  addChanges(commands, "<ingestKey>", ({ ingestKeys }) => ingestKeys, INGEST_KEY_COLUMNS);
}

type Change<Input, Output = unknown> = { mutate(input: Input): Promise<Output> };

/** Procedures for an existing key of either family. */
interface KeyProcedures<Key> {
  readonly show: { query(input: { keyId: string }): Promise<Key> };
  readonly regenerate: Change<{ keyId: string }, { key: string }>;
  readonly rename: Change<{ keyId: string; name: string }>;
  readonly disable: Change<{ keyId: string }>;
  readonly enable: Change<{ keyId: string }>;
  readonly revoke: Change<{ keyId: string }>;
}

/** Adds the commands for an existing key; `argument` is its name in their usage. */
function addChanges<Of extends Procedures, Key>(
  commands: OperatorCommand<Of>,
  argument: string,
  find: (operator: Operator<Of>) => KeyProcedures<Key>,
  columns: Columns<Key>,
): void {
  commands.add(`show ${argument}`, "show a key without its value").run(async (operator, keyId, options) => {
    const key = await find(operator).show.query({ keyId });
    print(options, key, formatTable([key], columns));
  });

  commands
    .add(`regenerate ${argument}`, "give a key a new value; the old value stops working immediately")
    .run(async (operator, keyId, options) => {
      const created = await find(operator).regenerate.mutate({ keyId });
      print(options, created, [created.key], ["The new value is shown only once."]);
    });

  commands
    .add(`rename ${argument} <name>`, "change a key's name")
    .run(async (operator, keyId, name, options) => {
      await find(operator).rename.mutate({ keyId, name });
      printDone(options, { id: keyId, name }, `${keyId} is renamed.`);
    });

  for (const [name, description, state] of [
    ["disable", "disable a key until it is enabled again", "disabled"],
    ["enable", "enable a disabled key", "enabled"],
    ["revoke", "revoke a key permanently", "revoked"],
  ] as const) {
    commands.add(`${name} ${argument}`, description).run(async (operator, keyId, options) => {
      await find(operator)[name].mutate({ keyId });
      printDone(options, { id: keyId }, `${keyId} is ${state}.`);
    });
  }
}

/** Returns true if a workspace is named instead of a user. @throws UsageError unless exactly one is given */
function isNamed(user: string | undefined, workspace: string | true | undefined): workspace is string {
  const isName = typeof workspace === "string";
  if ((user !== undefined) === isName) throw new UsageError("Give either a user or --workspace <workspace>.");
  return isName;
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
  readonly expiresAt?: string | null;
}

function toState({ revokedAt, disabledAt, expiresAt = null }: KeyTimes): string {
  if (revokedAt !== null) return "revoked";
  if (expiresAt !== null && Date.parse(expiresAt) <= Date.now()) return "expired";
  return disabledAt === null ? "enabled" : "disabled";
}

const describePlan = (plan: string): string[] =>
  PLAN_LIMITS[plan as Plan]?.apiAccess
    ? []
    : [
        `Keys work on the pro, team and enterprise plans. The workspace's plan is ${plan}: ` +
          "change it with `minutes workspaces set-plan`.",
      ];

const KEY_COLUMNS: Columns<inferProcedureOutput<typeof keys.show>> = {
  ID: ({ id }) => id,
  KIND: ({ kind }) => kind,
  NAME: ({ name }) => name,
  KEY: toShortKey,
  ACCESS: ({ access }) => access,
  STATE: toState,
  EXPIRES: ({ expiresAt }) => expiresAt,
  ...USE,
};

const INGEST_KEY_COLUMNS: Columns<inferProcedureOutput<typeof ingestKeys.show>> = {
  ID: ({ id }) => id,
  NAME: ({ name }) => name,
  KEY: toShortKey,
  STATE: toState,
  ...USE,
};
