import { createHash } from "node:crypto";
import { basename, extname } from "node:path";
import {
  parseTitle,
  readSrt,
  readText,
  readVtt,
  type Transcript,
  TranscriptError,
  toSegments,
} from "@minutes/transcripts";
import type { ImportOptions, TextFile, UncheckedMeeting } from "./outcome.js";

/** Reads a transcript as a meeting, by the file's ending and, for captions under another ending, by its first lines. */
export const readTranscriptFile = (file: TextFile, options: ImportOptions): UncheckedMeeting =>
  toMeeting(file, readTranscript(extname(file.name).toLowerCase(), file.text, options), options);

function readTranscript(ending: string, text: string, { lenient }: ImportOptions): Transcript {
  if (ending === ".vtt" || /^WEBVTT(?:[ \t\r\n]|$)/.test(text)) return readVtt(text, { lenient });
  if (ending === ".srt" || /^\d+\r?\n\d{2}:\d{2}:\d{2},\d{3} -->/.test(text))
    return readSrt(text, { lenient });
  return readText(text, { lenient });
}

/**
 * Converts a transcript to a meeting. Its title and start are those of the file's text, or else of the file's name; a
 * start that neither has is when the file was written. Its id is made of its content, so that importing it again changes
 * nothing.
 * @throws TranscriptError for a line without a speaker, unless `lenient`.
 */
export function toMeeting(
  file: TextFile,
  transcript: Transcript,
  { owner, lenient, lenientHint = "--lenient keeps such lines." }: ImportOptions,
): UncheckedMeeting {
  const { turns, tasks, notes, unassigned } = transcript;
  const [first] = unassigned;
  if (first && !lenient) {
    const others = unassigned.length > 1 ? ` ${unassigned.length - 1} more lines have no speaker.` : "";
    throw new TranscriptError(first.line, `${first.reason}${others} ${lenientHint}`);
  }
  const name = parseTitle(basename(file.name, extname(file.name)));
  const startTime = transcript.startTime ?? name.startTime ?? file.modifiedAt;
  const last = turns.reduce((latest, { start, end }) => Math.max(latest, end ?? start ?? 0), 0);
  const spokenUntil = new Date(Date.parse(startTime) + Math.ceil(last * 1000)).toISOString();
  const endTime = transcript.endTime ?? (last > 0 ? spokenUntil : undefined);
  const meeting = {
    externalId: `file:${createHash("sha256").update(`${owner}\n${file.text}`).digest("hex").slice(0, 40)}`,
    ownerEmail: owner,
    title: transcript.title?.trim() || name.title || `Meeting of ${startTime.slice(0, 10)}`,
    startTime,
    ...(endTime === undefined || endTime < startTime ? {} : { endTime }),
    transcript: toSegments(turns),
    ...(notes ? { summary: { markdown: notes } } : {}),
    ...(tasks ? { tasks } : {}),
  };
  return { index: null, line: null, meeting, unassigned };
}
