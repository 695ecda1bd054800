import type { operatorManagement } from "@minutes/core";
import { actAs, type OperatorCommand } from "./cli/command.js";
import { confirm, printDone, printTable } from "./cli/output.js";

/** Adds `minutes recordings …`. */
export function addRecordingsCommands(
  program: OperatorCommand<Pick<typeof operatorManagement, "recordings">>,
): void {
  const commands = program
    .command("recordings")
    .description("unfinished recordings: running, waiting for their summary, or failed");

  commands
    .add("list [user]", "list a user's unfinished recordings, oldest first")
    .option(
      "--workspace [workspace]",
      "list those of all members of this workspace, by ID or name; without one, of the user's",
    )
    .addHelpText("after", "\nRECORDING_DAYS sets after how many days they are deleted.")
    .run(async ({ recordings }, user, { workspace, ...options }) => {
      const read = workspace ? recordings.listWorkspace : recordings.list;
      printTable(options, (await read.query({}, actAs({ user, workspace }))).recordings, {
        ID: ({ id }) => id,
        STATE: ({ state }) => state,
        STARTED: ({ startTime }) => startTime,
        OWNER: ({ ownerEmail }) => ownerEmail,
        TITLE: ({ title }) => title,
        FAILURE: ({ failure }) => failure,
      });
    });

  commands
    .add("delete <recordingId>", "delete an unfinished recording with its title and attendees")
    .option("--yes", "don't ask")
    .run(async ({ recordings }, recordingId, { yes, ...options }) => {
      await confirm(`Delete the recording ${recordingId}?`, yes);
      await recordings.delete.mutate({ recordingId });
      printDone(options, { id: recordingId }, `${recordingId} is deleted.`);
    });
}
