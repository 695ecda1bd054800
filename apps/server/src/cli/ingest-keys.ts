import type { Command } from "commander";
import { formatTable, note, print, printDone } from "./output.js";
import { addCommand, withOperator } from "./run.js";

/** Adds `minutes ingest-keys …`. */
export function addIngestKeysCommands(program: Command): void {
  const keys = program
    .command("ingest-keys")
    .description("credentials of recorders and importers, which only /ingest/v1 accepts");

  addCommand(keys, "create <email>", "create a credential for the workspace of a user, who must be its admin")
    .option("--name <name>", "its name in lists")
    .addHelpText("after", "\nIts value is shown once.")
    .action(async (email, { name, ...options }) => {
      const created = await withOperator(({ ingestKeys }) => ingestKeys.create.mutate({ email, name }));
      print(options, created, [created.key]);
      if (!options.json) note(`${created.id} is an ingest key. Its value is shown only this once.`);
    });

  addCommand(keys, "list <email>", "list the credentials of a user's workspace").action(
    async (email, options) => {
      const list = await withOperator(({ ingestKeys }) => ingestKeys.list.query({ email }));
      print(
        options,
        list,
        formatTable(list, {
          ID: ({ id }) => id,
          NAME: ({ name }) => name,
          KEY: ({ prefix, lastFour }) => `${prefix}…${lastFour}`,
          STATE: ({ revokedAt }) => (revokedAt === null ? "enabled" : "revoked"),
          "CREATED BY": ({ createdBy }) => createdBy?.email ?? null,
          "LAST USED": ({ lastUsedAt }) => lastUsedAt,
        }),
      );
    },
  );

  addCommand(keys, "revoke <keyId>", "revoke a credential for good").action(async (keyId, options) => {
    await withOperator(({ ingestKeys }) => ingestKeys.revoke.mutate({ keyId }));
    printDone(options, { id: keyId }, `${keyId} is revoked.`);
  });
}
