import { resolve } from "node:path";
import type { Config } from "./config.js";

/** Directory of audio beside the embedded database. */
const DIRECTORY = "audio";

/** Returns the directory of audio; null on PostgreSQL without AUDIO_DIR. */
export const getAudioDirectory = ({
  AUDIO_DIR,
  DATABASE_URL,
  DATA_DIR,
}: Pick<Config, "AUDIO_DIR" | "DATABASE_URL" | "DATA_DIR">): string | null =>
  AUDIO_DIR !== undefined
    ? resolve(AUDIO_DIR)
    : DATABASE_URL === undefined
      ? resolve(DATA_DIR, DIRECTORY)
      : null;

/** Says that a copy of the database lacks the files of kept audio, if there is any. @param meetings number of meetings that have it */
export const describeAudioFiles = (meetings: number): string[] =>
  meetings === 0
    ? []
    : [
        `The audio of ${meetings === 1 ? "1 meeting is" : `${meetings} meetings is`} in files that are not part of it: copy AUDIO_DIR, by default DATA_DIR/audio, too.`,
      ];
