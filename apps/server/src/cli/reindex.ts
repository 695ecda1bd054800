import type { Command } from "commander";
import { readEnv } from "../env.js";
import { note, print, withProgress } from "./output.js";
import { addCommand, withOperations } from "./run.js";

/** `minutes reindex` */
export function addReindex(program: Command): void {
  addCommand(
    program,
    "reindex",
    "index meetings anew that were indexed by other settings or an older version",
  )
    .addHelpText(
      "after",
      "\nSearch goes on meanwhile. It can be stopped and run again; SEARCH_LANGUAGE says how meetings are read.",
    )
    .action(async (options) => {
      const { SEARCH_LANGUAGE: language } = readEnv(process.env);
      const done = await withOperations(async ({ run }) => {
        const { outdated } = await run("search.outdated", language === undefined ? {} : { language });
        return withProgress(outdated, "meetings", async (bar) => {
          let all = 0;
          for (;;) {
            const { done } = await run("search.reindex", {});
            if (done === 0) return all;
            all += done;
            if (bar) bar.update(all);
            else note(`${all} of ${Math.max(all, outdated)} meetings`);
          }
        });
      });
      print(options, { reindexed: done }, [`${done} indexed anew`]);
    });
}
