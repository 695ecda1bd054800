import { createHash } from "node:crypto";
import { basename, extname } from "node:path";
import {
  parseTitleAndStart,
  readSrt,
  readText,
  readVtt,
  type Transcript,
  TranscriptError,
  toSegments,
} from "@minutes/transcripts";
import type { ImportOptions, TextFile, UncheckedMeeting } from "./outcome.js";

/**
 * Parses a transcript as a meeting, by the file's extension or, for captions with another extension, by its first
 * lines.
 */
export const readTranscriptFile = (file: TextFile, options: ImportOptions): UncheckedMeeting =>
  toMeeting(file, readTranscript(extname(file.name).toLowerCase(), file.text, options), options);

function readTranscript(ending: string, text: string, { lenient }: ImportOptions): Transcript {
  if (ending === ".vtt" || /^WEBVTT(?:[ \t\r\n]|$)/.test(text)) return readVtt(text, { lenient });
  if (ending === ".srt" || /^\d+\r?\n\d{2}:\d{2}:\d{2},\d{3} -->/.test(text))
    return readSrt(text, { lenient });
  return readText(text, { lenient });
}

/**
 * Converts a transcript to a meeting. Title and start come from the text, else from the file's name; the default start
 * is the file's modification time. The id is derived from the content, so importing it again is a no-op.
 * @throws TranscriptError for a line without a speaker, unless `lenient`
 */
export function toMeeting(
  file: TextFile,
  transcript: Transcript,
  { owner, lenient, lenientHint = "Use --lenient to keep such lines." }: ImportOptions,
): UncheckedMeeting {
  const { turns, tasks, notes, unassigned } = transcript;
  const [first] = unassigned;
  if (first && !lenient) {
    const others = unassigned.length > 1 ? ` ${unassigned.length - 1} more lines have no speaker.` : "";
    throw new TranscriptError(first.line, `${first.reason}${others} ${lenientHint}`);
  }
  const name = parseTitleAndStart(basename(file.name, extname(file.name)));
  const startTime = transcript.startTime ?? name.startTime ?? file.modifiedAt;
  const last = turns.reduce((latest, { start, end }) => Math.max(latest, end ?? start ?? 0), 0);
  const spokenUntil = new Date(Date.parse(startTime) + Math.ceil(last * 1000));
  // A turn can end after the maximum date; validation refuses it with the other fields.
  const ends = last > 0 && !Number.isNaN(spokenUntil.getTime());
  const endTime = transcript.endTime ?? (ends ? spokenUntil.toISOString() : undefined);
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
