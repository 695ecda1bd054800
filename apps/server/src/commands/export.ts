import type { OperatorCommand } from "./cli/command.js";
import { UsageError } from "./cli/exit.js";
import { print, withProgress } from "./cli/output.js";
import type { exports } from "./procedures/export.js";

/** Adds `minutes export`. */
export function addExportCommands(program: OperatorCommand<{ exports: typeof exports }>): void {
  program
    .add(
      "export",
      "export all data of a user or a workspace into a folder: JSON Lines, and each meeting as Markdown and WebVTT",
    )
    .option("--user <user>", "one user's meetings, tags and terms")
    .option("--workspace <workspace>", "those of all members of a workspace, by ID or name")
    .requiredOption("--out <folder>", "the output folder; created if missing")
    .option("--docx", "write each meeting as a Word document, too")
    .addHelpText(
      "after",
      "\n`minutes import <folder>/export.jsonl` imports it into an empty database. Keys, webhooks and locked summaries" +
        "\nare not exported.",
    )
    .run(async ({ exports }, { user, workspace, out, docx = false, ...options }) => {
      if ((user === undefined) === (workspace === undefined)) {
        throw new UsageError("Give either --user or --workspace.");
      }
      const { writeExport } = await import("../operations/export/write-export.js");
      const head = await exports.begin.mutate(user === undefined ? { workspace } : { user });
      const meetings = await withProgress(head.meetingIds.length, "meetings", (progress) =>
        writeExport(head, (meetingId) => exports.meeting.query({ meetingId }), out, {
          docx,
          onMeeting: () => progress.increment(),
        }),
      );
      print(options, { meetings, out }, [`${meetings} meetings written to ${out}`]);
    });
}
