import { Option } from "commander";
import { type Config, describeData } from "../config/config.js";
import type { OperatorCommand } from "./cli/command.js";
import { UsageError } from "./cli/exit.js";
import { print } from "./cli/output.js";

/** Roles of a process: answer calls, do the work in the background, or both. Only PostgreSQL can be shared by several processes. */
const ROLES = ["api", "worker"] as const;
export type Role = (typeof ROLES)[number];

/** Starts the server. */
export type Start = (
  config: Config,
  options: { readonly json: boolean; readonly role?: Role | undefined },
) => Promise<void>;

/** Adds `minutes start` and `minutes migrate`. */
export function addServerCommands(program: OperatorCommand, start: Start): void {
  program
    .add("start", "start the server; it runs until SIGTERM or Ctrl-C")
    .addOption(
      new Option(
        "--role <role>",
        "api answers calls, worker delivers, indexes and deletes what expires; both by default",
      ).choices(ROLES),
    )
    .action(async ({ role, ...options }) => {
      const config = program.getConfig();
      if (role !== undefined && config.DATABASE_URL === undefined) {
        throw new UsageError("--role requires PostgreSQL: only one process can use the embedded database.");
      }
      await start(config, { json: options.json === true, role });
    });

  program
    .add("migrate", "create the database, or update its schema; start does the same")
    .action(async (options) => {
      const config = program.getConfig();
      const { createOrMigrate } = await import("./operator/open.js");
      const created = await createOrMigrate(config);
      const engine = config.DATABASE_URL === undefined ? "embedded" : "postgres";
      print(options, { engine, schema: "current", created }, [
        created ? `Created the schema in ${describeData(config)}.` : "The schema is up to date.",
      ]);
    });
}
