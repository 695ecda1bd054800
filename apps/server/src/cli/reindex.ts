import type { Command } from "commander";
import { readEnv } from "../env.js";
import type { Operator } from "../operator/client.js";
import { print, withProgress } from "./output.js";
import { addCommand, withOperator } from "./run.js";

/** Adds `minutes reindex`. */
export function addReindexCommands(program: Command): void {
  addCommand(
    program,
    "reindex",
    "index again the meetings that were indexed with other settings or by an older version",
  )
    .addHelpText(
      "after",
      "\nSearch goes on meanwhile. The command can be stopped and run again. SEARCH_LANGUAGE sets the language.",
    )
    .action(async (options) => {
      const { SEARCH_LANGUAGE: language } = readEnv(process.env);
      const reindexed = await withOperator((operator) => reindexAll(operator, language));
      print(options, { reindexed }, [`${reindexed} indexed again`]);
    });
}

/** Returns the number of meetings that were indexed. */
async function reindexAll({ search }: Operator, language: string | undefined): Promise<number> {
  const { outdated } = await search.prepareReindex.mutate({ language });
  return withProgress(
    outdated,
    "meetings",
    async (progress) => {
      let all = 0;
      for (;;) {
        const { done } = await search.reindex.mutate();
        if (done === 0) return all;
        all += done;
        progress.update(all);
      }
    },
    { pause: 0 },
  );
}
