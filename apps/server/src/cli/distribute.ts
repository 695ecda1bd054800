import { distributeDatabase } from "@minutes/db";
import { type Command, InvalidArgumentError } from "commander";
import { readEnv } from "../env.js";
import { UsageError } from "./failure.js";
import { note, print } from "./output.js";
import { addCommand } from "./run.js";

const HELP = `
The database has to be the coordinator of a cluster that has workers: docs/scaling.md says how to make one. Transcripts and the
search index move to the workers, table by table; all else stays. Calls are answered meanwhile, but those that write wait for
the table that moves. The command can be stopped and run again.`;

/** Most shards of a table: a search asks each. */
const MAX_SHARDS = 1_024;

function parseShards(text: string): number {
  const shards = Number(text);
  if (!Number.isInteger(shards) || shards < 1 || shards > MAX_SHARDS)
    throw new InvalidArgumentError(`It is a number from 1 to ${MAX_SHARDS}.`);
  return shards;
}

/** Adds `minutes distribute`. */
export function addDistributeCommands(program: Command): void {
  addCommand(program, "distribute", "spread transcripts and the search index over a cluster's workers")
    .option("--shards <number>", "parts of each table: the most workers that can be used", parseShards, 32)
    .option("--undo", "bring the tables back to the coordinator, whose disk has to hold them")
    .addHelpText("after", HELP)
    .action(async ({ shards, undo, ...options }) => {
      const env = readEnv(process.env);
      if (env.DATABASE_URL === undefined)
        throw new UsageError(
          "Set DATABASE_URL to a cluster's coordinator: the embedded database has no workers.",
        );
      const moved = await distributeDatabase(env.DATABASE_DIRECT_URL ?? env.DATABASE_URL, {
        shards,
        undo: undo === true,
        isDirect: env.DATABASE_DIRECT_URL !== undefined,
        onTable: (table) => note(`Moving ${table} …`),
      });
      print(options, { moved }, moved);
      if (!options.json) note(describe(moved, undo === true));
    });
}

const describe = (moved: readonly string[], undo: boolean): string => {
  if (moved.length === 0) return undo ? "No table was spread." : "All tables are spread already.";
  return undo ? "The tables are on the coordinator again." : "The tables are spread over the workers.";
};
