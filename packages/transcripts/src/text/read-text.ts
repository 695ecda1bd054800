import { LIMITS } from "@minutes/contract";
import { findDate, type StatedDate } from "../dates.js";
import { createKnownPeople } from "../labels.js";
import { rateLabel } from "../names.js";
import { areTimesOfDay, type TimeMark, toSecondsSinceFirst } from "../times.js";
import {
  type ReadOptions,
  splitLines,
  type Transcript,
  TranscriptError,
  type Turn,
  UNKNOWN_SPEAKER,
} from "../transcript.js";
import { takeTasks } from "./action-items.js";
import { type ChosenLayout, chooseLayout } from "./choose-layout.js";
import { findClosing } from "./closing.js";
import { readTimeLine } from "./layouts.js";
import { listPeople, readPreamble } from "./preamble.js";
import { isFooter } from "./service-lines.js";

interface OpenTurn {
  speaker: string;
  readonly lines: string[];
  start?: TimeMark | undefined;
  end?: TimeMark | undefined;
}

const NOBODY =
  "No line names a speaker. A transcript has `Name: text` lines, names next to times, or names alone on a line.";
const TOO_EARLY = "The line comes before the first speaker.";

/**
 * Reads a text or Markdown transcript. Every line is a head of the file's layout, speech of the current turn, or a
 * line that services are known to add; all others are returned as unassigned.
 * @throws TranscriptError if no line names a speaker, unless `lenient` or for one known speaker
 */
export function readText(content: string, options: ReadOptions = {}): Transcript {
  const all = splitLines(content).map((line) => line.trim());
  let end = all.length;
  while (end > 0 && isFooter(all[end - 1] ?? "")) end--;
  const text = all.slice(0, end);
  if (text.length === 0) throw new TranscriptError(1, "This file has no text.");
  const { people, listed } = listPeople(text);
  const known = createKnownPeople(options, people);
  const draft = chooseLayout(text, known, listed);
  const closing = draft ? findClosing(text, draft) : { speech: end, notes: end };
  const lines = text.slice(0, closing.speech);
  const whole = closing.notes === end ? draft : chooseLayout(lines, known, listed);
  const preamble = readPreamble(lines, whole?.first ?? lines.length, whole?.layout.timed === true);
  const body = preamble.from === 0 ? lines : lines.map((line, at) => (at < preamble.from ? "" : line));
  const chosen = preamble.from === 0 ? whole : chooseLayout(body, known, listed);
  if (!chosen && !options.lenient && options.speakers?.length !== 1)
    throw new TranscriptError(preamble.from + 1, NOBODY);
  const read = readTurns(body, chosen, preamble.known);
  const notes = [preamble.notes, text.slice(closing.notes).join("\n")].filter(Boolean).join("\n\n");
  return {
    title: preamble.title,
    date: preamble.date ?? (chosen && read.firstClock !== undefined ? findHeadDate(body, chosen) : undefined),
    ...readNotes(notes, [...people, ...read.turns.flatMap(({ speaker }) => speaker ?? [])]),
    doubts: chosen?.doubts ?? [],
    ...read,
  };
}

/** Separates the notes from the tasks in them. */
function readNotes(markdown: string, people: readonly string[]): Pick<Transcript, "notes" | "tasks"> {
  const { notes, tasks } = takeTasks(markdown, new Set(people));
  return { ...(notes === "" ? {} : { notes }), ...(tasks.length === 0 ? {} : { tasks }) };
}

/** Finds the date next to the time of day in the first head: `2026-11-05 09:30:00 Priya: text`. */
function findHeadDate(lines: readonly string[], { heads, first }: ChosenLayout): StatedDate | undefined {
  const line = lines[first] ?? "";
  const found = findDate(line.slice(0, line.length - (heads.get(first)?.rest.length ?? 0)));
  if (!found) return undefined;
  const { matched: _, ...date } = found;
  return date;
}

function readTurns(
  lines: readonly string[],
  chosen: ChosenLayout | null,
  known: ReadonlySet<number>,
): Pick<Transcript, "turns" | "unassigned" | "remarks" | "firstClock"> {
  const turns: OpenTurn[] = [];
  const unassigned: { line: number; reason: string }[] = [];
  const remarks: string[] = [];
  const first = chosen?.first ?? lines.length;
  readUnassigned(lines.slice(0, first), known, chosen ? TOO_EARLY : NOBODY, turns, unassigned);
  if (chosen) readSpeech(lines, chosen, turns, remarks);
  const spoken = turns.filter((turn) => turn.lines.length > 0);
  return { ...addTimes(spoken, remarks), unassigned, remarks };
}

/** Reads lines without a speaker. A time begins a turn. */
function readUnassigned(
  lines: readonly string[],
  known: ReadonlySet<number>,
  reason: string,
  turns: OpenTurn[],
  unassigned: { line: number; reason: string }[],
): void {
  let times: ReturnType<typeof readTimeLine> = null;
  for (const [at, line] of lines.entries()) {
    const alone = line === "" ? null : readTimeLine(line);
    if (alone) times = alone;
    if (line === "" || alone || known.has(at)) continue;
    unassigned.push({ line: at + 1, reason });
    const [, mark, rest] = /^(\[[^[\]]{4,60}\]) {0,8}(\S.*)$/su.exec(line) ?? [];
    const inline = mark === undefined ? null : readTimeLine(mark);
    const open = turns.at(-1);
    if (open && !times && !inline) open.lines.push(line);
    else
      turns.push({ speaker: UNKNOWN_SPEAKER, lines: [inline ? (rest ?? "") : line], ...(inline ?? times) });
    times = null;
  }
}

function readSpeech(
  lines: readonly string[],
  { layout, heads, first }: ChosenLayout,
  turns: OpenTurn[],
  remarks: string[],
): void {
  const silent: { turn: OpenTurn; before: OpenTurn | undefined; source: string; placed: boolean }[] = [];
  let times = layout.timeLines ? readTimesBefore(lines, first) : undefined;
  for (let at = first; at < lines.length; at++) {
    const line = lines[at] ?? "";
    const head = heads.get(at);
    if (head) {
      const { speaker, rest, placed } = head;
      const own = head.start ? { start: head.start, end: head.end } : times;
      const turn: OpenTurn = { speaker, lines: rest === "" ? [] : [rest], ...own };
      if (rest === "")
        silent.push({ turn, before: turns.at(-1), source: line, placed: placed && head.start !== undefined });
      turns.push(turn);
      times = undefined;
      at += head.lines - 1;
      continue;
    }
    if (line === "") continue;
    const alone = layout.timeLines ? readTimeLine(line) : null;
    if (alone) times = alone;
    else turns.at(-1)?.lines.push(line);
  }
  if (layout.escaped) turns.forEach(unescapeLines);
  keepSilent(turns, silent, remarks);
}

/** Keeps the words of heads without speech: a speaker who said nothing is left out, other words are speech. */
function keepSilent(
  turns: readonly OpenTurn[],
  silent: readonly { turn: OpenTurn; before: OpenTurn | undefined; source: string; placed: boolean }[],
  remarks: string[],
): void {
  const speaking = new Set(turns.flatMap(({ speaker, lines }) => (lines.length > 0 ? [speaker] : [])));
  const joined = new Map<OpenTurn, OpenTurn>();
  let left = 0;
  for (const { turn, before: previous, source, placed } of silent) {
    if (turn.lines.length > 0) continue;
    const before = previous && (joined.get(previous) ?? previous);
    const name =
      speaking.has(turn.speaker) || (placed && !["speech", "lower"].includes(rateLabel(turn.speaker)));
    if (name) left++;
    else if (before) {
      before.lines.push(source);
      joined.set(turn, before);
    } else {
      turn.speaker = UNKNOWN_SPEAKER;
      turn.lines.push(source);
    }
  }
  if (left > 0)
    remarks.push(
      `${left} ${left === 1 ? "turn has" : "turns have"} no speech and ${left === 1 ? "is" : "are"} left out.`,
    );
}

/** Removes the escapes that Minutes' Markdown has in turns of several lines. @see docs/open-questions.md#q26 */
function unescapeLines({ lines }: OpenTurn): void {
  if (lines.length < 2) return;
  for (const [at, line] of lines.entries()) lines[at] = line.replace(/\\([\\*_`<#~])/g, "$1");
}

/** Returns the times on the last non-empty line before the first turn, if that line is only a time. */
function readTimesBefore(lines: readonly string[], first: number) {
  let at = first - 1;
  while (at >= 0 && lines[at] === "") at--;
  return (at >= 0 && readTimeLine(lines[at] ?? "")) || undefined;
}

function addTimes(turns: readonly OpenTurn[], remarks: string[]): Pick<Transcript, "turns" | "firstClock"> {
  const marks = turns.flatMap(({ start }) => start ?? []);
  const clock = areTimesOfDay(marks);
  const flat = turns.flatMap(({ start, end }) => [start?.seconds ?? null, end?.seconds ?? null]);
  const seconds = clock ? toSecondsSinceFirst(flat) : flat;
  let invalid = marks.filter((mark) => mark.seconds === null).length;
  const timed = turns.map(({ speaker, lines }, at): Turn => {
    let [start, end] = [seconds[2 * at] ?? null, seconds[2 * at + 1] ?? null];
    if (start !== null && start > LIMITS.segmentSecondsMax) {
      invalid++;
      start = null;
    }
    if (start === null || (end !== null && (end < start || end > LIMITS.segmentSecondsMax))) end = null;
    return {
      speaker,
      text: lines.join("\n"),
      ...(start === null ? {} : { start }),
      ...(end === null ? {} : { end }),
    };
  });
  if (invalid > 0)
    remarks.push(`${invalid} ${invalid === 1 ? "time is" : "times are"} not valid and left out.`);
  const first = clock ? marks.find((mark) => mark.seconds !== null)?.seconds : undefined;
  return { turns: timed, ...(first == null ? {} : { firstClock: first }) };
}
