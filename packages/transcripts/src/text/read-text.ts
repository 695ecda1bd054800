import { parseTitleAndStart } from "../file-name.js";
import { parseTime, toSecondsSinceFirst } from "../times.js";
import {
  type ReadOptions,
  splitLines,
  type Transcript,
  TranscriptError,
  type Turn,
  UNKNOWN_SPEAKER,
} from "../transcript.js";
import { type ChosenLayout, chooseLayout } from "./choose-layout.js";
import { ONLY_TIME } from "./layouts.js";
import { readPreamble } from "./preamble.js";
import { isFooter } from "./service-lines.js";

interface OpenTurn {
  speaker: string;
  readonly lines: string[];
  start?: number | undefined;
  end?: number | undefined;
}

const NOBODY =
  "No line names a speaker. A transcript has `Name: text` lines, names next to times, or names alone on a line.";
const TOO_EARLY = "The line comes before the first speaker.";
const SILENT = "The line names a speaker who says nothing.";

/**
 * Reads a text or Markdown transcript. Every line is a header of the file's layout, speech of the current turn, or a
 * line that services are known to add; all others are returned as unassigned.
 * @throws TranscriptError if no line names a speaker and `lenient` is false
 */
export function readText(text: string, { lenient }: ReadOptions = {}): Transcript {
  const all = splitLines(text).map((line) => line.trim());
  let end = all.length;
  while (end > 0 && isFooter(all[end - 1] ?? "")) end--;
  const lines = all.slice(0, end);
  if (lines.length === 0) throw new TranscriptError(1, "This file has no text.");
  const heading = readPreamble(lines);
  const body = lines.map((line, at) => (at < heading.from ? "" : line));
  const chosen = chooseLayout(body);
  if (!chosen && !lenient) throw new TranscriptError(heading.from + 1, NOBODY);
  const read = readTurns(body, chosen, heading.known);
  return {
    ...(heading.title === undefined ? {} : parseTitleAndStart(heading.title)),
    ...(heading.notes === undefined ? {} : { notes: heading.notes }),
    ...read,
  };
}

function readTurns(
  lines: readonly string[],
  chosen: ChosenLayout | null,
  known: ReadonlySet<number>,
): Pick<Transcript, "turns" | "unassigned"> {
  const turns: OpenTurn[] = [];
  const unassigned: { line: number; reason: string }[] = [];
  const first = chosen?.first ?? lines.length;
  for (let at = 0; at < first; at++) {
    const line = lines[at] ?? "";
    if (line === "" || known.has(at)) continue;
    unassigned.push({ line: at + 1, reason: chosen ? TOO_EARLY : NOBODY });
    const open = turns.at(-1);
    if (open) open.lines.push(line);
    else turns.push({ speaker: UNKNOWN_SPEAKER, lines: [line] });
  }
  if (chosen) readSpeech(lines, chosen, turns, unassigned);
  const spoken = turns.filter((turn) => turn.lines.length > 0);
  return { turns: addStartTimes(spoken, chosen?.layout.clock === true), unassigned };
}

function readSpeech(
  lines: readonly string[],
  { layout, first }: ChosenLayout,
  turns: OpenTurn[],
  unassigned: { line: number; reason: string }[],
): void {
  const speaking = new Set<string>();
  const silent: { turn: OpenTurn; line: number; source: string }[] = [];
  let time = layout.timeLines ? readTimeBefore(lines, first) : undefined;
  for (let at = first; at < lines.length; at++) {
    const line = lines[at] ?? "";
    const header = layout.readHeader(lines, at);
    if (header) {
      const turn: OpenTurn = {
        speaker: header.speaker,
        lines: [],
        start: header.start ?? time,
        end: header.end,
      };
      if (header.text !== "") turn.lines.push(header.text);
      else silent.push({ turn, line: at + 1, source: line });
      turns.push(turn);
      time = undefined;
      at += header.lines - 1;
      continue;
    }
    if (line === "") continue;
    const alone = layout.timeLines ? ONLY_TIME.exec(line)?.[1] : undefined;
    if (alone) time = parseTime(alone);
    else turns.at(-1)?.lines.push(line);
  }
  if (layout.escaped) turns.forEach(unescapeLines);
  for (const { speaker, lines: said } of turns) if (said.length > 0) speaking.add(speaker);
  for (const { turn, line, source } of silent) {
    if (turn.lines.length > 0 || speaking.has(turn.speaker)) continue;
    unassigned.push({ line, reason: SILENT });
    // The whole line becomes speech, so its words are stored only once.
    turn.speaker = UNKNOWN_SPEAKER;
    turn.lines.push(source);
  }
}

/** Removes the escapes that Minutes' Markdown has in turns of several lines. @see docs/open-questions.md#q26 */
function unescapeLines({ lines }: OpenTurn): void {
  if (lines.length < 2) return;
  for (const [at, line] of lines.entries()) lines[at] = line.replace(/\\([\\*_`<#~])/g, "$1");
}

/** Returns the time on the last non-empty line before the first turn, if that line is only a time. */
function readTimeBefore(lines: readonly string[], first: number): number | undefined {
  const last = lines.slice(0, first).findLast((line) => line !== "");
  const time = last === undefined ? undefined : ONLY_TIME.exec(last)?.[1];
  return time === undefined ? undefined : parseTime(time);
}

function addStartTimes(turns: readonly OpenTurn[], clock: boolean): Turn[] {
  const starts = clock ? toSecondsSinceFirst(turns.map(({ start = 0 }) => start)) : [];
  return turns.map(({ speaker, lines, start, end }, at) => {
    const from = clock ? starts[at] : start;
    return {
      speaker,
      text: lines.join("\n"),
      ...(from === undefined ? {} : { start: from }),
      ...(end === undefined ? {} : { end }),
    };
  });
}
