import type { Command } from "commander";
import { UsageError } from "./failure.js";
import { print, withProgress } from "./output.js";
import { addCommand, withOperator } from "./run.js";

/** Adds `minutes export`. */
export function addExportCommands(program: Command): void {
  addCommand(
    program,
    "export",
    "write all data of a user or a workspace into a folder: JSON Lines, and each meeting as Markdown and WebVTT",
  )
    .option("--user <email>", "one user's meetings, tags and terms")
    .option("--workspace <workspace>", "those of all members of a workspace; an id or a name")
    .requiredOption("--out <folder>", "the folder to write to; created if it is missing")
    .addHelpText(
      "after",
      "\n`minutes import <folder>/export.jsonl` stores it in an empty database. Keys, webhooks and locked summaries" +
        "\nare not exported.",
    )
    .action(async ({ user, workspace, out, ...options }) => {
      if ((user === undefined) === (workspace === undefined)) {
        throw new UsageError("Give either --user or --workspace.");
      }
      const { writeExport } = await import("../export/write-export.js");
      const scope = user === undefined ? { workspace } : { user };
      const meetings = await withOperator(async (operator) => {
        const head = await operator.exports.begin.mutate(scope);
        return withProgress(head.meetingIds.length, "meetings", (progress) =>
          writeExport(operator, head, out, () => progress.increment()),
        );
      });
      print(options, { meetings, out }, [`${meetings} meetings written to ${out}`]);
    });
}
