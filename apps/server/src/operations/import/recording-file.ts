import { createHmac } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { LIMITS, MESSAGES, TRANSCRIPTION_FAILURES } from "@minutes/contract";
import { type SpokenSegment, TranscriberError } from "@minutes/core";
import { TranscriptionFailure } from "@minutes/core/transcriptions";
import { type AudioFormat, detectStoredAudio } from "@minutes/transcripts/audio";
import { type Hear, hearRecording, type LongAudio } from "../audio/hear.js";
import type { StreamedAudio } from "../audio/stream-mp4.js";
import type { RecordingFile } from "./open-recording.js";
import { deriveFileId } from "./parse-file.js";
import type { RecordingIdentity, Unfinished } from "./unfinished.js";

const refuse = (message: string) => new TranscriberError(message, "recording");

const NO_CONVERTER = `${MESSAGES.audioTooLarge} Longer ones need ffmpeg and prlimit here (Debian: ffmpeg, util-linux).`;

/** Finds out the format of a recording. @throws TranscriberError unless it can be transcribed */
export async function checkContent(file: RecordingFile, long: LongAudio | null): Promise<AudioFormat> {
  if (file.size === 0) throw refuse(MESSAGES.emptyAudio);
  if (!long && file.size > LIMITS.audioBytes) throw refuse(NO_CONVERTER);
  if (file.size > LIMITS.longAudioBytes) throw refuse(MESSAGES.longAudioTooLarge);
  const found = await detectStoredAudio(file);
  if (!found) throw refuse(MESSAGES.notAudio);
  if (!found.complete) throw refuse(MESSAGES.audioCutOff);
  return found.format;
}

/** Derives the meeting's `externalId`, and the ID and key under which progress is saved until the import is done. */
export async function identify(
  owner: string,
  { stream }: StreamedAudio,
): Promise<RecordingIdentity & { readonly externalId: string }> {
  const key = createHmac("sha256", "unfinished transcription");
  async function* readTwice() {
    for await (const piece of stream()) {
      key.update(piece);
      yield piece;
    }
  }
  const externalId = await deriveFileId(owner, readTwice());
  return { externalId, id: `trn_${externalId.replace(/\W/g, "_")}`, key: key.digest() };
}

/** Pause in ms before missing parts are tried again after a failure of the transcriber. */
const PAUSE = 5_000;

/**
 * Transcribes a recording as the server does. Retries missing parts after a failure, as long as each attempt finishes at least one.
 * @throws TranscriberError
 */
export async function hearFile(
  audio: StreamedAudio & { readonly format: AudioFormat },
  long: LongAudio | null,
  unfinished: Unfinished,
  transcribe: Hear,
): Promise<readonly SpokenSegment[]> {
  let [fault, heard]: [TranscriberError | null, number] = [null, 0];
  const hear: Hear = async (read, extension) => {
    try {
      const segments = await transcribe(read, extension);
      heard += 1;
      return segments;
    } catch (error) {
      if (error instanceof TranscriberError) fault = error;
      throw error;
    }
  };
  for (;;) {
    const before = heard;
    try {
      return await hearRecording(unfinished, audio, hear, long, new AbortController().signal);
    } catch (error) {
      if (!(error instanceof TranscriptionFailure)) throw error;
      if (heard === before || error.reason !== "unavailable")
        throw fault ?? refuse(TRANSCRIPTION_FAILURES[error.reason]);
      await setTimeout(PAUSE);
    }
  }
}
