import type { Command } from "commander";
import { confirm, formatTable, print, printDone } from "./output.js";
import { addCommand, withOperator } from "./run.js";

/** Adds `minutes recordings …`. */
export function addRecordingsCommands(program: Command): void {
  const recordings = program
    .command("recordings")
    .description("recordings that are not completed: running, waiting for their summary, or failed");

  addCommand(recordings, "list <email>", "list a user's unfinished recordings, oldest first")
    .option("--workspace", "list those of all members of the user's workspace instead")
    .addHelpText("after", "\nRECORDING_DAYS sets after how many days they are deleted.")
    .action(async (email, { workspace, ...options }) => {
      const list = await withOperator(({ recordings }) => recordings.list.query({ email, workspace }));
      print(
        options,
        list,
        formatTable(list, {
          ID: ({ id }) => id,
          STATE: ({ state }) => state,
          STARTED: ({ startTime }) => startTime,
          OWNER: ({ ownerEmail }) => ownerEmail,
          TITLE: ({ title }) => title,
          FAILURE: ({ failure }) => failure,
        }),
      );
    });

  addCommand(
    recordings,
    "delete <recordingId>",
    "delete an unfinished recording with its title and attendees",
  )
    .option("--yes", "don't ask")
    .action(async (recordingId, { yes, ...options }) => {
      await confirm(`Delete the recording ${recordingId}?`, yes);
      await withOperator(({ recordings }) => recordings.delete.mutate({ recordingId }));
      printDone(options, { id: recordingId }, `${recordingId} is deleted.`);
    });
}
