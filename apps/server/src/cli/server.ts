import { type Command, Option } from "commander";
import { readEnv } from "../env.js";
import { openDatabase } from "../open-database.js";
import { ROLES, start } from "../start.js";
import { UsageError } from "./failure.js";
import { print } from "./output.js";
import { addCommand } from "./run.js";

/** Adds `minutes start` and `minutes migrate`. */
export function addServerCommands(program: Command): void {
  addCommand(program, "start", "start the server; it runs until SIGTERM or Ctrl-C")
    .addOption(
      new Option("--role <role>", "answer calls or deliver webhooks; both when absent").choices(ROLES),
    )
    .action(async ({ role, ...options }) => {
      const env = readEnv(process.env);
      if (role !== undefined && env.DATABASE_URL === undefined) {
        throw new UsageError("--role needs PostgreSQL: one process alone works on the embedded database.");
      }
      await start(env, { json: options.json === true, role });
    });

  addCommand(program, "migrate", "bring the database's schema up to date; start does so too").action(
    async (options) => {
      const env = readEnv(process.env);
      const database = await openDatabase(env, { poolSize: 1 });
      const { engine } = database.connection;
      await database.close();
      print(options, { engine, schema: "current" }, ["The schema is up to date."]);
    },
  );
}
