import { type BackgroundLoop, startEvery } from "@minutes/background";
import { MESSAGES } from "@minutes/contract";
import { type SummaryQueue, toErrorResponse } from "@minutes/core";
import type { KeptAudioStore } from "@minutes/core/kept-audio";
import type { Logger } from "pino";
import { getAudioDirectory } from "../../config/audio-directory.js";
import type { Config } from "../../config/config.js";
import type { OpenDatabase } from "../installation.js";
import { chooseTranscriber, openTranscriber } from "../transcriber/choose.js";
import type { AudioService } from "./transcribe-uploads.js";

/** The service, or why there is none. */
export type AudioUploads = AudioService | { readonly refusal: string };

/** Interval in ms at which files of kept audio are deleted whose row is gone. */
const SWEEP = 60_000;

type AudioDatabase = Pick<OpenDatabase, "connection" | "db" | "webhooks">;

/** Starts audio uploads and the cleanup of kept audio, which also runs without a transcriber. */
export async function startAudio(
  config: Config,
  database: AudioDatabase,
  log: Logger,
  summaries: SummaryQueue,
  path: string | undefined,
) {
  const uploads = await startAudioUploads(config, database, log, summaries, path);
  const kept = await openKeptAudio(config, database, log);
  return {
    uploads,
    /** Null if the settings allow no audio. */
    kept: kept?.store ?? null,
    stop: async () => {
      await Promise.all(["stop" in uploads ? uploads.stop() : null, kept?.sweep.stop()]);
    },
  };
}

async function openKeptAudio(
  config: Config,
  { connection, db, webhooks: { keyring } }: AudioDatabase,
  log: Logger,
): Promise<{ readonly store: KeptAudioStore; readonly sweep: BackgroundLoop } | null> {
  const directory = getAudioDirectory(config);
  if (directory === null || !keyring) return null;
  const { createKeptFiles, removeUnreadable } = await import("@minutes/core/kept-audio");
  const files = createKeptFiles(directory);
  const sweep = startEvery(
    SWEEP,
    () => removeUnreadable({ db: connection.background, files }),
    (error) => log.error({ fault: toErrorResponse(error).fault }, "removal of kept audio failed"),
  );
  return { store: { db, files, keyring }, sweep };
}

/**
 * Starts to transcribe uploaded audio, if the settings allow uploads. Otherwise loads nothing.
 * @param path where programs are, as in `PATH`
 */
async function startAudioUploads(
  config: Config,
  { connection, db, webhooks: { keyring } }: AudioDatabase,
  log: Logger,
  summaries: SummaryQueue,
  path: string | undefined,
): Promise<AudioUploads> {
  const choice = await chooseTranscriber(config, path);
  const transcriber = choice && (await openTranscriber(choice));
  if (!transcriber) return { refusal: MESSAGES.noTranscriber };
  const directory = getAudioDirectory(config);
  if (directory === null || !keyring) return { refusal: MESSAGES.noAudioDirectory };
  const [{ findLongAudio }, { startTranscribing }] = await Promise.all([
    import("./hear.js"),
    import("./transcribe-uploads.js"),
  ]);
  const { background, engine } = connection;
  const alone = engine === "embedded";
  const long = await findLongAudio(path, transcriber.maxBytes);
  return startTranscribing({ db, background, alone, directory, keyring, transcriber, summaries, long }, log);
}
