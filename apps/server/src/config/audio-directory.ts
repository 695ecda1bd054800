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

/** Warns that copies lack the files of kept audio. @param meetings number of meetings with kept audio; no warning for 0 */
export const describeAudioFiles = (meetings: number): string[] =>
  meetings === 0
    ? []
    : [
        `Not included: audio of ${meetings === 1 ? "1 meeting" : `${meetings} meetings`}. Copy AUDIO_DIR (default: DATA_DIR/audio), too.`,
      ];
