import type { Command } from "commander";
import { readEnv } from "../env.js";
import { openDatabase } from "../open-database.js";
import { start } from "../start.js";
import { print } from "./output.js";
import { addCommand } from "./run.js";

/** `minutes start` and `minutes migrate` */
export function addServer(program: Command): void {
  addCommand(program, "start", "start the server; it runs until SIGTERM or Ctrl-C").action(
    async (options) => {
      await start(readEnv(process.env), { json: options.json === true });
    },
  );

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
