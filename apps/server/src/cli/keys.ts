import { PLAN_LIMITS, type Plan } from "@minutes/contract";
import type { Command } from "commander";
import type { OutputOf } from "../operations/index.js";
import { note, print, table } from "./output.js";
import { addCommand, withOperations } from "./run.js";

type ListedKey = OutputOf<"keys.list">[number];

const stateOf = ({ revokedAt, disabledAt }: ListedKey): string =>
  revokedAt !== null ? "revoked" : disabledAt !== null ? "disabled" : "enabled";

/** `minutes keys …` */
export function addKeys(program: Command): void {
  const keys = program.command("keys").description("API keys");

  addCommand(keys, "create <email>", "create a personal key for a user; its value is shown this once")
    .option("--workspace", "a key for the workspace that the user is an admin of, instead")
    .option("--name <name>", "what to call it")
    .action(async (email, { workspace, name, ...options }) => {
      const kind = workspace ? "workspace" : "personal";
      const { plan, ...created } = await withOperations(({ run }) =>
        run("keys.create", { email, kind, name }),
      );
      print(options, created, [created.key]);
      if (!options.json) note(`${created.id} is a ${kind} key. Its value is shown only this once.`);
      if (!PLAN_LIMITS[plan as Plan]?.apiAccess) {
        note(
          `Keys work on the pro, team and enterprise plans, and the workspace's is ${plan}: see workspaces plan.`,
        );
      }
    });

  addCommand(keys, "list <email>", "list a user's keys and those of his workspace").action(
    async (email, options) => {
      const list = await withOperations(({ run }) => run("keys.list", { email }));
      print(
        options,
        list,
        table(list, {
          ID: ({ id }) => id,
          KIND: ({ kind }) => kind,
          NAME: ({ name }) => name,
          KEY: ({ prefix, lastFour }) => `${prefix}…${lastFour}`,
          STATE: stateOf,
          "LAST USED": ({ lastUsedAt }) => lastUsedAt,
        }),
      );
    },
  );

  addCommand(keys, "regenerate <keyId>", "give a key a new value; the old one stops at once").action(
    async (keyId, options) => {
      const created = await withOperations(({ run }) => run("keys.regenerate", { keyId }));
      print(options, created, [created.key]);
      if (!options.json) note("The new value is shown only this once.");
    },
  );

  const change = (name: "disable" | "enable" | "revoke", description: string, done: string) =>
    addCommand(keys, `${name} <keyId>`, description).action(async (keyId, options) => {
      const changed = await withOperations(({ run }) => run(`keys.${name}`, { keyId }));
      print(options, changed, []);
      if (!options.json) note(`${changed.id} is ${done}.`);
    });
  change("disable", "stop a key until it is enabled again", "disabled");
  change("enable", "let a disabled key work again", "enabled");
  change("revoke", "stop a key for good", "revoked");
}
