import type { compareAudio } from "@minutes/core/kept-audio";
import { type Check, mention, ok, warn } from "./check.js";

const NAME = "Kept audio";

/** Compares kept audio of meetings with its files. */
export type ComparedAudio = Awaited<ReturnType<typeof compareAudio>> & {
  /** Null: no directory is set. */
  readonly directory: string | null;
};

/** Says whether the files of kept audio are there, and whether others are left. */
export function checkKeptAudio({ directory, kept, orphans, missing }: ComparedAudio): Check[] {
  if (directory === null)
    return kept === 0
      ? []
      : [
          warn(
            NAME,
            `AUDIO_DIR is not set, which has the audio of ${count(kept)}: set it as for the servers.`,
          ),
        ];
  const checks = [
    ...(missing > 0
      ? [
          warn(
            NAME,
            `${directory} lacks the audio of ${count(missing)}, which can't be heard: copy the files from where they were, or mount the directory.`,
          ),
        ]
      : []),
    ...(orphans > 0
      ? [
          mention(
            NAME,
            `files of ${count(orphans)} are left, which nobody can read: a running server deletes them within a minute.`,
          ),
        ]
      : []),
  ];
  if (checks.length > 0 || kept === 0) return checks;
  return [ok(NAME, `of ${count(kept)} in ${directory}. Backups don't have these files.`)];
}

const count = (meetings: number): string => (meetings === 1 ? "1 meeting" : `${meetings} meetings`);
