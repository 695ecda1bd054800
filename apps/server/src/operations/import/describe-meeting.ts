import { LIMITS, type MeetingImport } from "@minutes/contract";
import type { FileContent, MeetingStart, Transcript } from "@minutes/transcripts";
import type { Reading } from "./outcome.js";

/** Number of turns shown of a meeting, and their maximum length in UTF-16 units. */
const TURNS_SHOWN = 5;
const TURN_SHOWN = 300;

/** Describes what was read for a meeting. @param start absent if the importer gave it, or the file has meetings as recorders send them */
export function describeMeeting(
  place: Pick<Reading, "index" | "line">,
  { encoding, assumed }: FileContent,
  { title, startTime, startPrecision, transcript }: MeetingImport,
  read: Transcript | undefined,
  start: MeetingStart | undefined,
): Reading {
  const counts = new Map<string, number>();
  for (const { speakerName } of transcript) counts.set(speakerName, (counts.get(speakerName) ?? 0) + 1);
  return {
    ...{
      file: null,
      index: place.index,
      line: place.line,
      title,
      startTime,
      startPrecision: startPrecision ?? null,
    },
    startSource: start?.source ?? (read ? "given" : "file"),
    timeZone: start?.zone ?? null,
    encoding: assumed ? encoding : null,
    turns: transcript.length,
    speakers: [...counts].slice(0, LIMITS.uploadSpeakersShown).map(([name, turns]) => ({ name, turns })),
    speakerCount: counts.size,
    firstTurns: transcript.slice(0, TURNS_SHOWN).map(({ speakerName, text, start: at }) => ({
      speaker: speakerName,
      text: text.length > TURN_SHOWN ? `${text.slice(0, TURN_SHOWN).toWellFormed()}…` : text,
      start: at ?? null,
    })),
    doubts: [...(read?.doubts ?? [])],
    remarks: [...(read?.remarks ?? [])],
    notStored: [...(read?.notStored ?? [])],
    unassigned: read?.unassigned.length ?? 0,
  };
}
