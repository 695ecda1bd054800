import { PLAN_LIMITS, type Plan, parseBound } from "@minutes/contract";
import type { operatorManagement } from "@minutes/core";
import type { inferProcedureOutput } from "@trpc/server";
import { InvalidArgumentError } from "commander";
import { actAs, type OperatorCommand } from "./cli/command.js";
import { type Columns, formatTable, print, printDone, printTable } from "./cli/output.js";

function checkExpiry(text: string): string {
  if (parseBound(text, "end") !== null) return text;
  throw new InvalidArgumentError("It must be an ISO 8601 date, or a date-time with a zone.");
}

type KeyProcedures = Pick<typeof operatorManagement, "keys" | "users" | "workspaces">;

/** Adds `minutes keys …`. */
export function addKeysCommands(program: OperatorCommand<KeyProcedures>): void {
  const commands = program
    .command("keys")
    .description("API keys, and the ingest keys of recorders; <user> is an e-mail address or an ID");

  commands
    .add("create [user]", "create a personal key, a workspace key or an ingest key; its value is shown once")
    .option(
      "--workspace [workspace]",
      "create a key of this workspace instead; of the user's own if they are its admin",
    )
    .option("--ingest", "create an ingest key, with which a recorder sends meetings to the workspace")
    .option("--name <name>", "display name", "Command line")
    .option("--read-only", "read-only: it can't change or delete anything")
    .option(
      "--expires <date>",
      "expiry: a date-time with a zone, or a day, at whose end in UTC it expires",
      checkExpiry,
    )
    .run(async (operator, user, { workspace, ingest, name, readOnly, expires: expiresAt, ...options }) => {
      const kind = ingest ? "ingest" : workspace ? "workspace" : "personal";
      const access = readOnly ? ("read" as const) : undefined;
      const created = await operator.keys.create.mutate(
        { kind, name, access, expiresAt },
        actAs({ user, workspace }),
      );
      const { plan } =
        typeof workspace === "string"
          ? await operator.workspaces.get.query({ workspace })
          : await operator.users.get.query({ user });
      const article = kind === "ingest" ? "an" : "a";
      print(
        options,
        created,
        [created.key],
        [
          `${created.id} is ${article} ${kind} key. Its value is shown only once.`,
          ...(kind === "ingest" ? [] : describePlan(plan)),
        ],
      );
    });

  addViews(commands);
  addChanges(commands);
}

function addViews(commands: OperatorCommand<KeyProcedures>): void {
  commands
    .add("list [user]", "list a user's keys and the keys of their workspace, or those of a workspace")
    .option("--workspace <workspace>", "the keys of this workspace, by ID or name")
    .run(async ({ keys }, user, { workspace, ...options }) => {
      const as = actAs({ user, workspace });
      const { personal } = user === undefined ? { personal: [] } : await keys.list.query({}, as);
      const ofWorkspace = await keys.listWorkspace.query({}, as);
      printTable(options, [...personal, ...ofWorkspace.workspace, ...ofWorkspace.ingest], COLUMNS);
    });

  commands.add("get <key>", "show a key without its value").run(async ({ keys }, keyId, options) => {
    const key = await keys.get.query({ keyId });
    print(options, key, formatTable([key], COLUMNS));
  });
}

function addChanges(commands: OperatorCommand<KeyProcedures>): void {
  commands
    .add("regenerate <key>", "give a key a new value; the old value stops working immediately")
    .run(async ({ keys }, keyId, options) => {
      const created = await keys.regenerate.mutate({ keyId });
      print(options, created, [created.key], ["The new value is shown only once."]);
    });

  commands
    .add("update <key>", "change a key's name")
    .requiredOption("--name <name>", "display name")
    .run(async ({ keys }, keyId, { name, ...options }) => {
      await keys.update.mutate({ keyId, name });
      printDone(options, { id: keyId, name }, `${keyId} is renamed.`);
    });

  for (const [name, description, state] of [
    ["disable", "disable a key until it is enabled again", "disabled"],
    ["enable", "enable a disabled key", "enabled"],
    ["revoke", "revoke a key permanently", "revoked"],
  ] as const) {
    commands.add(`${name} <key>`, description).run(async ({ keys }, keyId, options) => {
      await keys[name].mutate({ keyId });
      printDone(options, { id: keyId }, `${keyId} is ${state}.`);
    });
  }
}

const describePlan = (plan: string): string[] =>
  PLAN_LIMITS[plan as Plan]?.apiAccess
    ? []
    : [
        `Keys work on the pro, team and enterprise plans. The workspace's plan is ${plan}: ` +
          "change it with `minutes workspaces update --plan`.",
      ];

type Key = inferProcedureOutput<KeyProcedures["keys"]["get"]>;

function toState(key: Key): string {
  if (key.revokedAt !== null) return "revoked";
  if ("expiresAt" in key && key.expiresAt !== null && Date.parse(key.expiresAt) <= Date.now())
    return "expired";
  return key.disabledAt === null ? "enabled" : "disabled";
}

const COLUMNS: Columns<Key> = {
  ID: ({ id }) => id,
  KIND: (key) => ("kind" in key ? key.kind : "ingest"),
  NAME: ({ name }) => name,
  KEY: ({ prefix, lastFour }) => `${prefix}…${lastFour}`,
  ACCESS: (key) => ("access" in key ? key.access : null),
  STATE: toState,
  EXPIRES: (key) => ("expiresAt" in key ? key.expiresAt : null),
  "CREATED BY": ({ createdBy }) => createdBy?.email ?? null,
  "LAST USED": ({ lastUsedAt }) => lastUsedAt,
};
