import { resolve } from "node:path";
import { LIMITS, MESSAGES } from "@minutes/contract";
import type { SummaryQueue } from "@minutes/core";
import type { Logger } from "pino";
import type { Config } from "../../config/config.js";
import type { OpenDatabase } from "../installation.js";
import { chooseTranscriber, openTranscriber } from "../transcriber/choose.js";
import type { AudioService } from "./transcribe-uploads.js";

/** The service, or why there is none. */
export type AudioUploads = AudioService | { readonly refusal: string };

/** Directory of uploaded audio beside the embedded database. */
const DIRECTORY = "audio";

/** Maximum length in seconds of a part: a slow model can transcribe it in time, and a kill repeats little. */
const PART_SECONDS = 600;

const getDirectory = ({ AUDIO_DIR, DATABASE_URL, DATA_DIR }: Config): string | null =>
  AUDIO_DIR !== undefined
    ? resolve(AUDIO_DIR)
    : DATABASE_URL === undefined
      ? resolve(DATA_DIR, DIRECTORY)
      : null;

/**
 * Starts to transcribe uploaded audio, if the settings allow uploads. Otherwise loads nothing.
 * @param path where programs are, as in `PATH`
 */
export async function startAudioUploads(
  config: Config,
  { connection, db, webhooks: { keyring } }: Pick<OpenDatabase, "connection" | "db" | "webhooks">,
  log: Logger,
  summaries: SummaryQueue,
  path: string | undefined,
): Promise<AudioUploads> {
  const choice = await chooseTranscriber(config, path);
  const transcriber = choice && (await openTranscriber(choice));
  if (!transcriber) return { refusal: MESSAGES.noTranscriber };
  const directory = getDirectory(config);
  if (directory === null || !keyring) return { refusal: MESSAGES.noAudioDirectory };
  const [{ findConverter }, { startTranscribing }] = await Promise.all([
    import("./convert.js"),
    import("./transcribe-uploads.js"),
  ]);
  const { background, engine } = connection;
  const alone = engine === "embedded";
  const converter = await findConverter(path);
  const long = converter && {
    // The local model gets all recordings in parts.
    ...{ converter, above: choice?.kind === "local" ? 0 : LIMITS.audioBytes },
    ...{ longest: LIMITS.longAudioSeconds, part: PART_SECONDS },
  };
  return startTranscribing({ db, background, alone, directory, keyring, transcriber, summaries, long }, log);
}
