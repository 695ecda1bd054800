import { resolve } from "node:path";
import { MESSAGES } from "@minutes/contract";
import type { SummaryQueue } from "@minutes/core";
import type { Logger } from "pino";
import { type Config, toTranscriber } from "../config/config.js";
import type { OpenDatabase } from "./installation.js";
import type { AudioService } from "./transcribe-uploads.js";

/** The service, or why there is none. */
export type AudioUploads = AudioService | { readonly refusal: string };

/** Directory of uploaded audio beside the embedded database. */
const DIRECTORY = "audio";

const getDirectory = ({ AUDIO_DIR, DATABASE_URL, DATA_DIR }: Config): string | null =>
  AUDIO_DIR !== undefined
    ? resolve(AUDIO_DIR)
    : DATABASE_URL === undefined
      ? resolve(DATA_DIR, DIRECTORY)
      : null;

/** Starts to transcribe uploaded audio, if the settings allow uploads. Otherwise loads nothing. */
export async function startAudioUploads(
  config: Config,
  { connection, db, webhooks: { keyring } }: Pick<OpenDatabase, "connection" | "db" | "webhooks">,
  log: Logger,
  summaries: SummaryQueue,
): Promise<AudioUploads> {
  const transcriber = toTranscriber(config);
  if (!transcriber) return { refusal: MESSAGES.noTranscriber };
  const directory = getDirectory(config);
  if (directory === null || !keyring) return { refusal: MESSAGES.noAudioDirectory };
  const { startTranscribing } = await import("./transcribe-uploads.js");
  const { background, engine } = connection;
  const alone = engine === "embedded";
  return startTranscribing({ db, background, alone, directory, keyring, transcriber, summaries }, log);
}
