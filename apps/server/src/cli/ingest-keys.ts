import type { Command } from "commander";
import { note, print, table } from "./output.js";
import { addCommand, withOperations } from "./run.js";

/** `minutes ingest-keys …` */
export function addIngestKeys(program: Command): void {
  const keys = program
    .command("ingest-keys")
    .description("credentials of recorders and importers, which only /ingest/v1 accepts");

  addCommand(
    keys,
    "create <email>",
    "create one for the workspace that the user is an admin of; its value is shown this once",
  )
    .option("--name <name>", "what to call it")
    .action(async (email, { name, ...options }) => {
      const created = await withOperations(({ run }) => run("ingestKeys.create", { email, name }));
      print(options, created, [created.key]);
      if (!options.json) note(`${created.id} is an ingest key. Its value is shown only this once.`);
    });

  addCommand(keys, "list <email>", "list those of a user's workspace").action(async (email, options) => {
    const list = await withOperations(({ run }) => run("ingestKeys.list", { email }));
    print(
      options,
      list,
      table(list, {
        ID: ({ id }) => id,
        NAME: ({ name }) => name,
        KEY: ({ prefix, lastFour }) => `${prefix}…${lastFour}`,
        STATE: ({ revokedAt }) => (revokedAt === null ? "enabled" : "revoked"),
        "LAST USED": ({ lastUsedAt }) => lastUsedAt,
      }),
    );
  });

  addCommand(keys, "revoke <keyId>", "stop one for good").action(async (keyId, options) => {
    const revoked = await withOperations(({ run }) => run("ingestKeys.revoke", { keyId }));
    print(options, revoked, []);
    if (!options.json) note(`${revoked.id} is revoked.`);
  });
}
