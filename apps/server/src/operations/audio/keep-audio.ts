import { type Keyring, toErrorResponse } from "@minutes/core";
import { keepAudio, keepsAudio, type MeetingAudio } from "@minutes/core/kept-audio";
import { AudioFiles, type StoredRecording } from "@minutes/core/transcriptions";
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
 * Creates what keeps audio if the workspace wants it. If that fails, the meeting is there without its audio.
 * @throws when the signal is aborted: a restart keeps it
 */
export function createKeep({ background: db, directory, keyring, long = null }: Keeper, log: Logger): Keep {
  const store = { db, keyring, files: new AudioFiles(directory, "aud") };
  const keep = (recording: StoredRecording, meeting: MeetingAudio, signal: AbortSignal) =>
    withAudio(recording, async (audio) => {
      const { close, ...compact } = await openCompact(recording, audio, long, signal);
      return keepAudio(store, meeting, compact, signal).finally(close);
    });
  return async (recording, meeting, signal) => {
    try {
      if (!(await keepsAudio(db, meeting.workspaceId))) return;
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
