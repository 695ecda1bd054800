import { type Keyring, toErrorResponse } from "@minutes/core";
import { createKeptFiles, keepAudio, type MeetingAudio, readKeepDays } from "@minutes/core/kept-audio";
import type { StoredRecording } from "@minutes/core/transcriptions";
import type { Database } from "@minutes/db";
import type { Logger } from "pino";
import { type LongAudio, openCompact, withAudio } from "./hear.js";

/** Keeps the audio of a recording's meeting. */
export type Keep = (recording: StoredRecording, meeting: MeetingAudio, signal: AbortSignal) => Promise<void>;

/** What is needed to keep audio. */
interface Keeper {
  readonly background: Database;
  readonly directory: string;
  readonly keyring: Keyring;
  readonly long?: LongAudio | null;
}

/**
 * Creates a function that keeps a meeting's audio if its workspace has opted in. Failures are logged and leave the meeting without audio.
 * It throws only when the signal is aborted, so that a restart tries again.
 */
export function createKeep({ background: db, directory, keyring, long = null }: Keeper, log: Logger): Keep {
  const store = { db, keyring, files: createKeptFiles(directory) };
  const keep = (recording: StoredRecording, meeting: MeetingAudio, signal: AbortSignal) =>
    withAudio(recording, async (audio) => {
      const { close, ...compact } = await openCompact(recording, audio, long, signal);
      return keepAudio(store, meeting, compact, signal).finally(close);
    });
  return async (recording, meeting, signal) => {
    try {
      if ((await readKeepDays(db, meeting)) === null) return;
      const kept = await keep(recording, meeting, signal);
      if (kept !== "kept") log.warn({ meetingId: meeting.meetingId, reason: kept }, "audio was not kept");
    } catch (error) {
      signal.throwIfAborted();
      log.error(
        { meetingId: meeting.meetingId, fault: toErrorResponse(error).fault },
        "keeping audio failed",
      );
    }
  };
}
