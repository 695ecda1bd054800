import { chooseSpeakers } from "./names.js";
import { splitLabel } from "./text/layouts.js";
import { parseTime } from "./times.js";
import {
  type ReadOptions,
  splitLines,
  type Transcript,
  TranscriptError,
  type Turn,
  UNKNOWN_SPEAKER,
  type UnassignedLine,
} from "./transcript.js";

/** A cue of a caption file. */
interface Cue {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

const TIMING =
  /^((?:\d{1,4}:)?\d{1,2}:\d{2}[.,]\d{1,3})\s+-->\s+((?:\d{1,4}:)?\d{1,2}:\d{2}[.,]\d{1,3})(?:\s.*)?$/;

/**
 * Reads WebVTT. The speaker is a voice tag (`<v Name>`: Teams) or a prefix of the text (`Name: text`: Zoom, Meet). A
 * cue without a name continues the previous speaker.
 * @throws TranscriptError at the first line that is neither a cue nor a note, unless `lenient`
 */
export function readVtt(text: string, options: ReadOptions = {}): Transcript {
  const lines = splitLines(text);
  if (!/^WEBVTT(?:[ \t]|$)/.test(lines[0] ?? ""))
    throw new TranscriptError(1, "A WebVTT file begins with WEBVTT.");
  const header = lines.findIndex((line) => line.trim() === "");
  return readCues(lines, header < 0 ? lines.length : header, options);
}

/** Reads SubRip, with the speaker as a prefix of the text (`Name: text`). @throws TranscriptError as `readVtt` */
export const readSrt = (text: string, options: ReadOptions = {}): Transcript =>
  readCues(splitLines(text), 0, options);

const NAMELESS = "The cue names no speaker, and no cue before it does.";
const STRAY = "The line belongs to no cue: a cue's text ends at an empty line.";

function readCues(lines: readonly string[], from: number, { lenient }: ReadOptions): Transcript {
  const unassigned: UnassignedLine[] = [];
  const voices: Turn[] = [];
  /** The first line of each voice's cue, from 1. */
  const starts: number[] = [];
  for (const block of splitIntoBlocks(lines, from)) {
    const cue = readBlock(lines, block);
    if (cue === "stray") {
      if (!lenient) throw new TranscriptError(block.from + 1, STRAY);
      for (let at = block.from; at < block.to; at++) {
        unassigned.push({ line: at + 1, reason: STRAY });
        voices.push({ speaker: UNKNOWN_SPEAKER, text: (lines[at] ?? "").trim() });
        starts.push(at + 1);
      }
    } else if (cue) {
      const said = splitVoices(cue);
      voices.push(...said);
      starts.push(...said.map(() => block.from + 1));
    }
  }
  if (voices.length === 0) throw new TranscriptError(1, "This file has no cues.");
  const turns = takeNamesFromText(voices);
  const named = turns.findIndex(({ speaker }) => speaker !== null);
  const nameless = starts.slice(0, named < 0 ? undefined : named);
  unassigned.push(...[...new Set(nameless)].map((line) => ({ line, reason: NAMELESS })));
  return { turns, unassigned: unassigned.sort((a, b) => a.line - b.line) };
}

/** Moves names from the text of cues without a voice (`Name: text`) to their speaker. */
function takeNamesFromText(voices: readonly Turn[]): Turn[] {
  const speakers = chooseSpeakers(
    voices.flatMap(({ speaker, text }) => (speaker === null ? (splitLabel(text)?.speaker ?? []) : [])),
  );
  return voices.map((voice) => {
    const label = voice.speaker === null ? splitLabel(voice.text) : null;
    if (!label || label.text === "" || !speakers.has(label.speaker)) return voice;
    return { ...voice, speaker: label.speaker, text: label.text };
  });
}

interface Block {
  /** Index of the first line. */
  readonly from: number;
  /** Index after the last line. */
  readonly to: number;
}

/** Splits a caption file at empty lines. */
function splitIntoBlocks(lines: readonly string[], from: number): Block[] {
  const blocks: Block[] = [];
  for (let at = from; at < lines.length; at++) {
    if ((lines[at] ?? "").trim() === "") continue;
    const start = at;
    while (at < lines.length && (lines[at] ?? "").trim() !== "") at++;
    blocks.push({ from: start, to: at });
  }
  return blocks;
}

/**
 * Reads a block. Null for a note, a style, a region or a cue without text. @throws TranscriptError for invalid times
 */
function readBlock(lines: readonly string[], { from, to }: Block): Cue | "stray" | null {
  if (/^(?:NOTE|STYLE|REGION)(?:\s|$)/.test(lines[from] ?? "")) return null;
  const at = (lines[from] ?? "").includes("-->") ? from : from + 1;
  const timing = (lines[at] ?? "").includes("-->") && at < to ? lines[at] : undefined;
  if (timing === undefined) {
    if (to - from === 1 && /^\d+$/.test((lines[from] ?? "").trim())) return null; // the number of a cue without text
    return "stray";
  }
  const [, start, end] = TIMING.exec(timing.trim()) ?? [];
  if (!start || !end) throw new TranscriptError(at + 1, "The cue's times are not valid.");
  const text = lines.slice(at + 1, to).join("\n");
  return { start: parseTime(start), end: Math.max(parseTime(start), parseTime(end)), text };
}

/** A WebVTT or SubRip tag with its name and annotation. Any other `<` is unescaped text. */
const TAG =
  /<(?:(\/?(?:v|c|i|b|u|s|ruby|rt|lang|font))(?:\.[^\s<>]*)?(?:\s([^<>]*))?|(?:\d{1,4}:)?\d{2}:\d{2}\.\d{3})>/gi;

/** Splits a cue by voice. A voice lasts until its end tag or the end of the cue. */
function splitVoices({ start, end, text }: Cue): Turn[] {
  const spoken: { speaker: string | null; parts: string[] }[] = [];
  const speakers: (string | null)[] = [];
  const add = (part: string) => {
    const speaker = speakers.at(-1) ?? null;
    const last = spoken.at(-1);
    if (last && last.speaker === speaker) last.parts.push(part);
    else spoken.push({ speaker, parts: [part] });
  };
  let from = 0;
  for (const { 0: tag, 1: name = "", 2: annotation = "", index } of text.matchAll(TAG)) {
    if (index > from) add(text.slice(from, index));
    from = index + tag.length;
    if (name.toLowerCase() === "v") speakers.push(joinLines(decodeEntities(annotation)) || null);
    else if (name.toLowerCase() === "/v") speakers.pop();
  }
  if (from < text.length) add(text.slice(from));
  return spoken.flatMap(({ speaker, parts }) => {
    // A leading dash only marks a change of voice.
    const said = joinLines(decodeEntities(parts.join("")).replace(/(?:^|\n)- ?$/, ""));
    return said === "" ? [] : [{ speaker, text: said, start, end }];
  });
}

const joinLines = (text: string): string => text.split(/\s+/).join(" ").trim();

/** The entities defined by WebVTT. */
const ENTITIES: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  "#39": "'",
  nbsp: "\u00A0",
  lrm: "\u200E",
  rlm: "\u200F",
};

const decodeEntities = (text: string): string =>
  text.replace(/&(amp|lt|gt|quot|#39|nbsp|lrm|rlm);/g, (entity, name: string) => ENTITIES[name] ?? entity);
