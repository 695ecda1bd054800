import type { operatorManagement } from "@minutes/core";
import { actAs, type OperatorCommand } from "./cli/command.js";
import { confirm, print, printDone } from "./cli/output.js";

const countDays = (days: number): string => (days === 1 ? "1 day" : `${days} days`);

/** Adds `minutes audio …`. */
export function addKeptAudioCommands(
  program: OperatorCommand<Pick<typeof operatorManagement, "keptAudio">>,
): void {
  const commands = program
    .command("audio")
    .description("kept audio of meetings; <workspace> is an ID or a name");

  commands
    .add("get <workspace>", "show how long a workspace keeps audio, and its size")
    .run(async ({ keptAudio }, workspace, options) => {
      const kept = await keptAudio.get.query({}, actAs({ workspace }));
      const megabytes = Math.ceil(kept.bytes / 1024 ** 2);
      const days = kept.days === null ? "Audio is not kept" : `Audio is kept for ${countDays(kept.days)}`;
      print(options, kept, [`${days}; ${megabytes} MB are stored.`]);
    });

  commands
    .add("keep <workspace> <days>", "keep the audio of recordings that are uploaded from now on")
    .run(async ({ keptAudio }, workspace, days, options) => {
      await keptAudio.set.mutate({ days: Number(days) }, actAs({ workspace }));
      printDone(options, { days: Number(days) }, `Audio is kept for ${countDays(Number(days))}.`);
    });

  commands
    .add("discard <workspace>", "stop keeping audio, and delete what is kept")
    .option("--yes", "don't ask")
    .run(async ({ keptAudio }, workspace, { yes, ...options }) => {
      await confirm(`Delete the kept audio of the workspace ${workspace}?`, yes);
      await keptAudio.set.mutate({ days: null }, actAs({ workspace }));
      printDone(options, { days: null }, "No audio is kept, except that of meetings on hold.");
    });
}
