import type { compareAudio } from "@minutes/core/kept-audio";
import { type Check, mention, ok, warn } from "./check.js";

const NAME = "Kept audio";

/** Compares kept audio of meetings with its files. */
export type ComparedAudio = Awaited<ReturnType<typeof compareAudio>> & {
  /** Null: no directory is set. */
  readonly directory: string | null;
  /** True: the directory can't be read. */
  readonly unreadable: boolean;
};

/** Says whether the files of kept audio are there, and whether others are left. */
export function checkKeptAudio({ directory, unreadable, kept, orphans, missing }: ComparedAudio): Check[] {
  if (directory === null)
    return kept === 0
      ? []
      : [
          warn(
            NAME,
            `AUDIO_DIR is not set, so the kept audio of ${count(kept)} can't be checked: set it as on the servers.`,
          ),
        ];
  if (unreadable)
    return [warn(NAME, `${directory} can't be read: run this command as the user that runs the server.`)];
  const checks = [
    ...(missing > 0
      ? [
          warn(
            NAME,
            `${directory} lacks the audio of ${count(missing)}, which is unavailable: restore the files or mount the directory.`,
          ),
        ]
      : []),
    ...(orphans > 0
      ? [
          mention(
            NAME,
            `orphaned files of ${count(orphans)}: they can't be decrypted, and a running server deletes them after a day.`,
          ),
        ]
      : []),
  ];
  if (checks.length > 0 || kept === 0) return checks;
  return [ok(NAME, `of ${count(kept)} in ${directory}. Backups don't have these files.`)];
}

const count = (meetings: number): string => (meetings === 1 ? "1 meeting" : `${meetings} meetings`);
