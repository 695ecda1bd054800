import { Presets, SingleBar } from "cli-progress";
import type { Command } from "commander";
import { readEnv } from "../env.js";
import { note, print } from "./output.js";
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
        const bar = outdated > 0 && process.stderr.isTTY ? progressBar(outdated) : null;
        let all = 0;
        for (;;) {
          const { done } = await run("search.reindex", {});
          if (done === 0) break;
          all += done;
          if (bar) bar.update(all);
          else note(`${all} of ${Math.max(all, outdated)} meetings`);
        }
        bar?.stop();
        return all;
      });
      print(options, { reindexed: done }, [`${done} indexed anew`]);
    });
}

function progressBar(total: number): SingleBar {
  const format = "{bar} {value}/{total} meetings, {eta_formatted} left";
  const bar = new SingleBar(
    { format, stream: process.stderr, clearOnComplete: true },
    Presets.shades_classic,
  );
  bar.start(total, 0);
  return bar;
}
