import { LIMITS } from "@minutes/contract";
import { parseTitleAndDate } from "../file-name.js";
import { type Candidate, createKnownPeople, type Decision, decideLabels, splitLabel } from "../labels.js";
import {
  cleanName,
  type ReadOptions,
  splitLines,
  type Transcript,
  TranscriptError,
  type Turn,
  UNKNOWN_SPEAKER,
  type UnassignedLine,
} from "../transcript.js";
import { splitVoices } from "./cue-text.js";
import { type Cue, scanCues } from "./scan-cues.js";

/** What one voice says in a cue. */
export interface Said {
  /** Line number of the cue, from 1. */
  readonly line: number;
  /** Null if no tag names the speaker. */
  readonly speaker: string | null;
  readonly lines: readonly string[];
  /** Null for a time that can't be read; undefined if the file has none here. */
  readonly start?: number | null | undefined;
  readonly end: number | null;
}

/** Captions before their labels are read. */
export interface Captions {
  readonly said: readonly Said[];
  readonly stray?: readonly { readonly line: number; readonly text: string }[];
  readonly title?: string | undefined;
  readonly startTime?: string | undefined;
  readonly remarks?: readonly string[];
}

/**
 * Reads WebVTT. The speaker is a voice tag (`<v Name>`: Teams), the cue's identifier (Webex) or a prefix of the text
 * (`Name: text`: Zoom, Meet). A cue without a name continues the previous speaker.
 * @throws TranscriptError at the first cue without a speaker, unless `lenient`
 */
export function readVtt(text: string, options: ReadOptions = {}): Transcript {
  const lines = splitLines(text);
  const [, heading = ""] = /^WEBVTT(?:[ \t](.*))?$/.exec(lines[0] ?? "") ?? [];
  if (!/^WEBVTT(?:[ \t]|$)/.test(lines[0] ?? ""))
    throw new TranscriptError(1, "A WebVTT file begins with WEBVTT.");
  let from = 1;
  while (from < lines.length && (lines[from] ?? "").trim() !== "" && !(lines[from] ?? "").includes("-->"))
    from++;
  const title = /^- *(\S.*)$/.exec(heading.trim())?.[1];
  return readCues(lines, from, true, { ...options, title });
}

/** Reads SubRip and similar captions, with the speaker as a prefix of the text. @throws TranscriptError as `readVtt` */
export const readSrt = (text: string, options: ReadOptions = {}): Transcript =>
  readCues(splitLines(text), 0, false, options);

function readCues(
  lines: readonly string[],
  from: number,
  webVtt: boolean,
  { title, ...options }: ReadOptions & { readonly title?: string | undefined },
): Transcript {
  const { cues, stray, numbers } = scanCues(lines, from, webVtt);
  const remarks = numbers.map((line) => `Line ${line} was taken as the number of a cue without times.`);
  const structured = readMetadata(cues);
  if (structured) return assignSpeakers({ ...structured, title, remarks }, options);
  const rolled = unroll(cues);
  if (rolled !== cues) remarks.push("Lines that rolling captions repeat were removed.");
  const said = rolled.flatMap(({ line, id, start, end, lines: text }) => {
    const voice = readVoiceOfId(id);
    return splitVoices(text.join("\n")).map((one) => ({
      line,
      start,
      end,
      ...one,
      speaker: one.speaker ?? voice,
    }));
  });
  return assignSpeakers({ said, stray, title, remarks }, options);
}

/** Reads the name in a cue's identifier: `1 "Priya Nair" (3391122944)` (Webex). */
const readVoiceOfId = (id: string | null): string | null =>
  cleanName(/^\d{1,9} "([^"]{1,200})"(?: \(\d+\))?$/.exec(id ?? "")?.[1] ?? "") || null;

/** Reads cues that are JSON objects: `metadataContent` of Microsoft Graph. Null for other cues. */
function readMetadata(cues: readonly Cue[]): Captions | null {
  if (cues.length === 0 || !cues.every(({ lines }) => lines.length === 0 || lines[0]?.startsWith("{")))
    return null;
  const said: Said[] = [];
  let startTime: string | undefined;
  for (const { line, lines, start, end } of cues) {
    let content: Record<string, unknown>;
    try {
      content = JSON.parse(lines.join("\n") || "{}");
    } catch {
      return null;
    }
    const { speakerName, spokenText, startDateTime } = content;
    if (typeof spokenText !== "string") return null;
    const speaker = typeof speakerName === "string" ? cleanName(speakerName) || null : null;
    const began =
      typeof startDateTime === "string" ? Date.parse(startDateTime) - (start ?? 0) * 1000 : Number.NaN;
    if (!Number.isNaN(began)) startTime ??= new Date(began).toISOString();
    said.push({ line, start, end, speaker, lines: [spokenText.trim()] });
  }
  return { said, startTime };
}

/**
 * Removes the lines that rolling captions repeat (YouTube's automatic ones): every cue begins with the last line of the
 * previous one. Other captions are returned as they are.
 */
function unroll(cues: readonly Cue[]): readonly Cue[] {
  const strip = (line: string) => line.replace(/<[^<>]*>/g, "").trim();
  const timed = cues.filter(({ lines }) => lines.some((line) => /<\d\d:\d\d:\d\d\.\d{3}><c>/.test(line)));
  if (timed.length < 2 || timed.length * 3 < cues.length) return cues;
  let last = "";
  return cues.flatMap((cue) => {
    const lines = strip(cue.lines[0] ?? "") === last && last !== "" ? cue.lines.slice(1) : cue.lines;
    last = strip(cue.lines.at(-1) ?? "");
    return lines.length === 0 ? [] : [{ ...cue, lines }];
  });
}

const NAMELESS = "The cue names no speaker, and no cue before it does.";
const STRAY = "The text comes before the first cue.";

/** Gives captions their speakers: names in tags, or labels in the text. */
export function assignSpeakers(
  { said, stray = [], title, startTime, remarks: earlier = [] }: Captions,
  options: ReadOptions,
): Transcript {
  const remarks = [...earlier];
  if (said.length === 0) throw new TranscriptError(1, "This file has no cues.");
  const { findSpeaker, doubts } = findLabels(said, options);
  const unassigned: UnassignedLine[] = stray.map(({ line }) => ({ line, reason: STRAY }));
  const turns: Turn[] = stray.map(({ text }) => ({ speaker: UNKNOWN_SPEAKER, text }));
  let invalid = 0;
  let named = false;
  /** Speaker of a cue that is only a name; the next one has the speech. */
  let announced: string | null = null;
  let pending: Announcement | null = null;
  const silent: Announcement[] = [];
  for (const { line, speaker, lines, start, end } of said) {
    if (start === null || (start ?? 0) > LIMITS.segmentSecondsMax) invalid++;
    for (const part of splitByLabel(speaker, lines, findSpeaker)) {
      if (part.speaker !== null) {
        named = true;
        if (pending) silent.push(pending);
        pending =
          part.lines.length === 0
            ? { before: turns.length, speaker: part.speaker, source: part.source, ...toTimes(start, end) }
            : null;
        announced = pending && part.speaker;
      }
      if (part.lines.length === 0) continue;
      pending = null;
      if (!named) unassigned.push({ line, reason: NAMELESS });
      turns.push({ speaker: part.speaker ?? announced, text: part.lines.join(" "), ...toTimes(start, end) });
    }
  }
  if (pending) silent.push(pending);
  keepSilent(turns, silent);
  if (invalid > 0)
    remarks.push(`${invalid} ${invalid === 1 ? "time is" : "times are"} not valid and left out.`);
  const { title: own, date } = title === undefined ? {} : parseTitleAndDate(title);
  return {
    turns,
    unassigned: listLines(unassigned),
    title: own,
    date,
    startTime,
    doubts,
    remarks,
  };
}

/** Decides which labels in the text of captions without a speaker are speakers. */
function findLabels(said: readonly Said[], options: ReadOptions) {
  const candidates: Candidate[] = [];
  const voices = new Set<string>();
  let units = 0;
  for (const { lines, speaker } of said) {
    if (speaker !== null) {
      voices.add(speaker);
      continue;
    }
    units++;
    for (const [at, line] of lines.entries()) {
      const label = splitLabel(stripDash(line));
      if (label) candidates.push({ ...label, placed: false, leads: at === 0 || stripDash(line) !== line });
    }
  }
  const known = createKnownPeople({ ...options, people: [...(options.people ?? []), ...voices] });
  return decideLabels(candidates, units, known);
}

/** A name without speech. */
interface Announcement extends Pick<Turn, "start" | "end"> {
  /** Index of the following turn. */
  readonly before: number;
  readonly speaker: string;
  /** The line with the name. */
  readonly source: string;
}

/** Keeps names without speech as speech, unless they are names of speakers. */
function keepSilent(turns: Turn[], silent: readonly Announcement[]): void {
  const speaking = new Set(turns.map(({ speaker }) => speaker));
  const kept = silent.filter(({ speaker }) => !speaking.has(speaker));
  if (kept.length === 0) return;
  const all = turns.splice(0);
  for (let at = 0, nth = 0; at <= all.length; at++) {
    for (let one = kept[nth]; one?.before === at; one = kept[++nth]) {
      const { before: _, speaker: __, source, ...times } = one;
      turns.push({ speaker: null, text: source, ...times });
    }
    const turn = all[at];
    if (turn) turns.push(turn);
  }
}

/** Splits what a voice says at lines that begin with a speaker's name. */
function splitByLabel(
  speaker: string | null,
  lines: readonly string[],
  findSpeaker: Decision["findSpeaker"],
): { speaker: string | null; lines: string[]; source: string }[] {
  const parts: { speaker: string | null; lines: string[]; source: string }[] = [];
  for (const line of lines) {
    const label = speaker === null ? splitLabel(stripDash(line)) : null;
    const found = label && findSpeaker(label.label, label.rest);
    if (found)
      parts.push({ speaker: found.speaker, lines: found.text === "" ? [] : [found.text], source: line });
    else if (parts.length === 0) parts.push({ speaker, lines: [line], source: line });
    else parts.at(-1)?.lines.push(line);
  }
  return parts;
}

/** Removes the mark of a change of speaker before a name: `- `, `>> `. */
const stripDash = (line: string): string =>
  /^[-–—•>]/.test(line) ? line.replace(/^(?:[-–—•]|>{1,3}) ?/, "") : line;

/** Leaves out times that are not valid. An end before its start is none. */
function toTimes(start: number | null | undefined, end: number | null): Pick<Turn, "start" | "end"> {
  if (start == null || start > LIMITS.segmentSecondsMax) return {};
  return end === null || end < start || end > LIMITS.segmentSecondsMax ? { start } : { start, end };
}

/** Returns the first entry of each line, by line. */
const listLines = (lines: readonly UnassignedLine[]): UnassignedLine[] =>
  [...new Map(lines.toReversed().map((one) => [one.line, one])).values()].sort((a, b) => a.line - b.line);
