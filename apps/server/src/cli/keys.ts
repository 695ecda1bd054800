import { PLAN_LIMITS, type Plan } from "@minutes/contract";
import type { Command } from "commander";
import type { OperatorOutputs } from "../operator/router.js";
import { formatTable, note, print, printDone } from "./output.js";
import { addCommand, withOperator } from "./run.js";

type ListedKey = OperatorOutputs["keys"]["list"][number];

/** Adds `minutes keys …`. */
export function addKeysCommands(program: Command): void {
  const keys = program.command("keys").description("API keys");
  addCreate(keys);

  addCommand(keys, "list <email>", "list a user's keys and the keys of their workspace").action(
    async (email, options) => {
      const list = await withOperator(({ keys }) => keys.list.query({ email }));
      print(options, list, formatKeys(list));
    },
  );

  addCommand(keys, "regenerate <keyId>", "give a key a new value; the old value stops at once").action(
    async (keyId, options) => {
      const created = await withOperator(({ keys }) => keys.regenerate.mutate({ keyId }));
      print(options, created, [created.key]);
      if (!options.json) note("The new value is shown only this once.");
    },
  );

  for (const [name, description, state] of [
    ["disable", "stop a key until it is enabled again", "disabled"],
    ["enable", "enable a disabled key", "enabled"],
    ["revoke", "revoke a key for good", "revoked"],
  ] as const) {
    addCommand(keys, `${name} <keyId>`, description).action(async (keyId, options) => {
      await withOperator(({ keys }) => keys[name].mutate({ keyId }));
      printDone(options, { id: keyId }, `${keyId} is ${state}.`);
    });
  }
}

function addCreate(keys: Command): void {
  addCommand(keys, "create <email>", "create a personal key for a user; its value is shown once")
    .option("--workspace", "create a workspace key instead; the user must be an admin of the workspace")
    .option("--name <name>", "its name in lists")
    .option("--read-only", "it can't change or delete anything")
    .option("--expires <date>", "when it stops: a UTC day, at whose end it stops, or a date-time with a zone")
    .action(async (email, { workspace, name, readOnly, expires, ...options }) => {
      const kind = workspace ? "workspace" : "personal";
      const { plan, ...created } = await withOperator(({ keys }) =>
        keys.create.mutate({
          email,
          kind,
          name,
          ...(readOnly ? { access: "read" as const } : {}),
          ...(expires === undefined ? {} : { expiresAt: expires }),
        }),
      );
      print(options, created, [created.key]);
      if (!options.json) note(`${created.id} is a ${kind} key. Its value is shown only this once.`);
      if (!PLAN_LIMITS[plan as Plan]?.apiAccess) {
        note(
          `Keys work on the pro, team and enterprise plans, and the workspace's plan is ${plan}: ` +
            "change it with `minutes workspaces plan`.",
        );
      }
    });
}

const formatKeys = (list: readonly ListedKey[]): string[] =>
  formatTable(list, {
    ID: ({ id }) => id,
    KIND: ({ kind }) => kind,
    NAME: ({ name }) => name,
    KEY: ({ prefix, lastFour }) => `${prefix}…${lastFour}`,
    ACCESS: ({ access }) => access,
    STATE: toState,
    EXPIRES: ({ expiresAt }) => expiresAt,
    "CREATED BY": ({ createdBy }) => createdBy?.email ?? null,
    "LAST USED": ({ lastUsedAt }) => lastUsedAt,
  });

const toState = ({ revokedAt, disabledAt, expiresAt }: ListedKey): string => {
  if (revokedAt !== null) return "revoked";
  if (expiresAt !== null && Date.parse(expiresAt) <= Date.now()) return "expired";
  return disabledAt === null ? "enabled" : "disabled";
};
