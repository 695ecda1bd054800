import { SettingsInput } from "@minutes/contract";
import { audit, exportMeeting, exportNonMeetings, findUserByEmailOrId, findWorkspace } from "@minutes/core";
import { z } from "zod";
import type { OperatorCommand } from "./cli/command.js";
import { UsageError } from "./cli/exit.js";
import { print, withProgress } from "./cli/output.js";
import { operatorProcedure } from "./operator/procedures.js";

const Scope = z.union([
  z.strictObject({ user: z.string() }),
  z.strictObject({ workspace: z.string().min(1) }),
]);

/** Named `exports` because `export` is a reserved word. */
export const exports = {
  /** Everything except meetings, and the meetings' ids, for one user or all members of a workspace. */
  begin: operatorProcedure.input(Scope).mutation(async ({ ctx: { db, actor }, input }) => {
    if ("user" in input) {
      const { userId } = await findUserByEmailOrId(db, input.user);
      await audit(db, actor, "export.user", userId);
      return exportNonMeetings(db, { userId });
    }
    const { id: workspaceId } = await findWorkspace(db, input.workspace);
    await audit(db, actor, "export.workspace", workspaceId);
    return exportNonMeetings(db, { workspaceId });
  }),
  meeting: operatorProcedure
    .input(SettingsInput.meeting)
    .query(({ ctx, input }) => exportMeeting(ctx.db, input.meetingId)),
};

/** Adds `minutes export`. */
export function addExportCommands(program: OperatorCommand<{ exports: typeof exports }>): void {
  program
    .add(
      "export",
      "export all data of a user or a workspace into a folder: JSON Lines, and each meeting as Markdown and WebVTT",
    )
    .option("--user <user>", "one user's meetings, tags and terms")
    .option("--workspace <workspace>", "those of all members of a workspace, by id or name")
    .requiredOption("--out <folder>", "the output folder; created if missing")
    .addHelpText(
      "after",
      "\n`minutes import <folder>/export.jsonl` imports it into an empty database. Keys, webhooks and locked summaries" +
        "\nare not exported.",
    )
    .run(async ({ exports }, { user, workspace, out, ...options }) => {
      if ((user === undefined) === (workspace === undefined)) {
        throw new UsageError("Give either --user or --workspace.");
      }
      const { writeExport } = await import("../operations/export/write-export.js");
      const head = await exports.begin.mutate(user === undefined ? { workspace } : { user });
      const meetings = await withProgress(head.meetingIds.length, "meetings", (progress) =>
        writeExport(
          head,
          (meetingId) => exports.meeting.query({ meetingId }),
          out,
          () => progress.increment(),
        ),
      );
      print(options, { meetings, out }, [`${meetings} meetings written to ${out}`]);
    });
}
