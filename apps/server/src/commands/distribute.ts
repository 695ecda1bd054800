import { type OperatorCommand, toWholeNumber } from "./cli/command.js";
import { UsageError } from "./cli/exit.js";
import { note, print } from "./cli/output.js";

const HELP = `
The database must be the coordinator of a Citus cluster with workers; docs/scaling.md describes how to set one up. Transcripts
and the search index move to the workers, table by table; everything else stays. Calls are answered in the meantime, but
writes wait for the table being moved. The command can be interrupted and run again. A search queries every shard, so fewer
shards are faster. After adding workers, run it again with --shards and their number.`;

/** Maximum number of shards per table: a search queries each. */
const MAX_SHARDS = 1_024;

/** Adds `minutes distribute`. */
export function addDistributeCommands(program: OperatorCommand): void {
  program
    .add("distribute", "distribute transcripts and the search index over a cluster's workers")
    .option(
      "--shards <number>",
      "shards per table (default: one per worker; tables that are already distributed keep theirs)",
      toWholeNumber(1, MAX_SHARDS),
    )
    .option("--undo", "move the tables back to the coordinator, whose disk must have room for them")
    .addHelpText("after", HELP)
    .action(async ({ shards, undo, ...options }) => {
      const config = program.getConfig();
      if (config.DATABASE_URL === undefined)
        throw new UsageError(
          "Set DATABASE_URL to a cluster's coordinator: the embedded database has no workers.",
        );
      const { distributeDatabase } = await import("@minutes/db");
      const moved = await distributeDatabase(config.DATABASE_DIRECT_URL ?? config.DATABASE_URL, {
        shards,
        undo: undo === true,
        isDirect: config.DATABASE_DIRECT_URL !== undefined,
        onTable: (table) => note(`Moving ${table} …`),
        onWait: note,
      });
      print(options, { moved }, moved);
      if (!options.json) note(describe(moved, undo === true));
    });
}

const describe = (moved: readonly string[], undo: boolean): string => {
  if (moved.length === 0) return undo ? "No table was distributed." : "All tables are already distributed.";
  return undo ? "The tables are back on the coordinator." : "The tables are distributed over the workers.";
};
