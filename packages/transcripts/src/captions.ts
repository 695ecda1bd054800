import { tokenizeVTTCue, VTTCue, type VTTNode } from "media-captions";
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

/** A cue as it stands in a file. */
interface Cue {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

const TIMING =
  /^((?:\d{1,4}:)?\d{1,2}:\d{2}[.,]\d{1,3})\s+-->\s+((?:\d{1,4}:)?\d{1,2}:\d{2}[.,]\d{1,3})(?:\s.*)?$/;

/**
 * Reads WebVTT. Speakers are voices (`<v Name>`: Teams) or stand before a cue's text (`Name: text`: Zoom, Meet). A cue
 * without a name continues the speaker before it.
 * @throws TranscriptError at the first line that is neither a cue nor a note, unless `lenient`.
 */
export function readVtt(text: string, options: ReadOptions = {}): Transcript {
  const lines = splitLines(text);
  if (!/^WEBVTT(?:[ \t]|$)/.test(lines[0] ?? ""))
    throw new TranscriptError(1, "A WebVTT file begins with WEBVTT.");
  const header = lines.findIndex((line) => line.trim() === "");
  return readCues(lines, header < 0 ? lines.length : header, options);
}

/** Reads SubRip. Speakers stand before a cue's text (`Name: text`). @throws TranscriptError as `readVtt` */
export const readSrt = (text: string, options: ReadOptions = {}): Transcript =>
  readCues(splitLines(text), 0, options);

const STRAY = "The line belongs to no cue: an empty line ends a cue's text.";

function readCues(lines: readonly string[], from: number, { lenient }: ReadOptions): Transcript {
  const unassigned: UnassignedLine[] = [];
  const voices: Turn[] = [];
  for (const block of splitIntoBlocks(lines, from)) {
    const cue = readBlock(lines, block);
    if (cue === "stray") {
      if (!lenient) throw new TranscriptError(block.from + 1, STRAY);
      for (let at = block.from; at < block.to; at++) {
        unassigned.push({ line: at + 1, reason: STRAY });
        voices.push({ speaker: UNKNOWN_SPEAKER, text: (lines[at] ?? "").trim() });
      }
    } else if (cue) voices.push(...splitVoices(cue));
  }
  if (voices.length === 0) throw new TranscriptError(1, "There is no cue in this file.");
  return { turns: takeNamesFromText(voices), unassigned };
}

/** Takes names out of the text of cues without a voice: `Name: text`. */
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

/** Splits a caption file at its empty lines. */
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

/** Reads a block: null for a note, a style or a region, and for a cue without text. @throws TranscriptError for bad times */
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

/** A tag of WebVTT or SubRip; any other `<` is text that its writer did not escape. */
const TAG = /^<\/?(?:(?:v|c|i|b|u|s|ruby|rt|lang|font)(?:[.\s][^<>]*)?|(?:\d+:)?\d{2}:\d{2}\.\d{3})>/i;

/** Splits a cue into what each of its voices says. */
function splitVoices({ start, end, text }: Cue): Turn[] {
  const spoken: { speaker: string | null; text: string }[] = [];
  const add = (speaker: string | null, data: string) => {
    const last = spoken.at(-1);
    if (last && last.speaker === speaker) last.text += data;
    else spoken.push({ speaker, text: data });
  };
  const walk = (nodes: readonly VTTNode[], speaker: string | null) => {
    for (const node of nodes) {
      if (node.type === "text") add(speaker, node.data);
      else walk(node.children, node.type === "v" ? node.voice.trim() || null : speaker);
    }
  };
  walk(tokenizeVTTCue(new VTTCue(start, end, escapeStrayTags(text))), null);
  return spoken.flatMap((voice) => {
    // A dash before a voice is typography.
    const said = voice.text
      .replace(/(?:^|\n)- ?$/, "")
      .split(/\s+/)
      .join(" ")
      .trim();
    return said === "" ? [] : [{ speaker: voice.speaker, text: said, start, end }];
  });
}

const escapeStrayTags = (text: string): string =>
  text
    .split(/(?=<)/)
    .map((part) =>
      part.startsWith("<") && !TAG.test(part)
        ? `&lt;${part.slice(1)}`
        : part.replace(/^<\/?(?:s|font)\b[^<>]*>/i, ""),
    )
    .join("");
