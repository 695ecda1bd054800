import { findDate, type StatedDate } from "../dates.js";
import { type Transcript, UNNAMED } from "../transcript.js";
import {
  get,
  getList,
  getText,
  listNotStored,
  type Piece,
  toInstantText,
  toNumberedSpeaker,
  toSeconds,
  toSpeech,
  type Unit,
} from "./fields.js";
import type { JsonFormat } from "./format.js";
import { findEmail, getPeople, type Person, readTasks, toEmail, toEvent } from "./people.js";

/** Names that people give the list of turns. */
const LISTS = ["transcript", "turns", "messages", "entries", "dialogue", "conversation", "segments"];

const TEXT = ["text", "content", "sentence", "message"];
const SPEAKER = ["speaker", "speaker_name", "speakerName", "name"];
const TITLE = ["title", "name", "subject", "topic"];
const START = ["startTime", "start_time", "startedAt", "started_at", "start", "datetime", "date"];
const END = ["endTime", "end_time", "endedAt", "ended_at", "end"];
const PEOPLE = ["attendees", "participants", "people", "speakers"];
const NOTES = ["summary", "notes"];
const TASKS = ["tasks", "actionItems", "action_items"];
const READ: ReadonlySet<string> = new Set([...TITLE, ...START, ...END, ...PEOPLE, ...NOTES, ...TASKS]);

const within = (list: string, names: readonly string[]): string =>
  names.map((name) => `${list}[].${name}`).join("|");

/**
 * Meetings as people write them with a script of their own, with the usual names of fields. They come after the formats of
 * products, which have some of these fields, too.
 */
export const PLAIN_FORMATS: readonly JsonFormat[] = [
  ...LISTS.map((list) => ({
    name: "a meeting with turns",
    shape: [within(list, TEXT), within(list, SPEAKER)],
    read: (value: unknown) => readPlain(value, list),
  })),
  {
    name: "a list of turns",
    shape: [within("", TEXT), within("", SPEAKER)],
    read: (value) => readPlain(value, ""),
  },
];

/** Returns true for one turn: a line of a file that has a turn in each. */
export const isTurn = (value: unknown): boolean =>
  getText(value, ...TEXT) !== undefined &&
  getText(value, ...SPEAKER, "speaker.name") !== undefined &&
  LISTS.every((list) => get(value, list) === undefined);

function readPlain(value: unknown, list: string): Transcript {
  const people = getPeople(value, ...PEOPLE);
  const pieces = getList(value, list).map((one) => toPiece(one, people));
  const { startTime, date } = readStart(value);
  const endTime = toInstantText(get(value, ...END));
  const unit = findUnit(pieces, startTime, endTime);
  const speech = toSpeech(pieces, unit, unit === "instants" ? startTime : undefined);
  const assumed = unit === "milliseconds" ? ["Times are read as milliseconds."] : [];
  const others = list === "" ? [] : Object.keys(value as object).filter((name) => !READ.has(name));
  return {
    ...UNNAMED,
    ...speech,
    title: getText(value, ...TITLE),
    startTime: startTime ?? speech.startTime,
    date,
    endTime,
    notes: getText(value, ...NOTES),
    tasks: readTasks(getList(value, ...TASKS)),
    event: toEvent(people),
    remarks: [...speech.remarks, ...assumed],
    notStored: listNotStored(
      value,
      others.filter((name) => name !== list && name !== "id"),
    ),
  };
}

function toPiece(one: unknown, people: readonly Person[]): Piece {
  const speaker =
    getText(one, "speaker.name", ...SPEAKER) ?? toNumberedSpeaker(get(one, "speaker", "speaker_id"));
  return {
    speaker,
    email: toEmail(getText(one, "speaker.email", "email", "speakerEmail")) ?? findEmail(people, speaker),
    text: getText(one, ...TEXT),
    start: get(one, "start", "startTime", "start_time", "timestamp", "time", "offset"),
    end: get(one, "end", "endTime", "end_time"),
  };
}

/** Reads the start of a meeting: an instant, or a date and time without a zone. */
function readStart(value: unknown): { startTime: string | undefined; date: StatedDate | undefined } {
  const stated = get(value, ...START);
  const date = typeof stated === "string" ? findDate(stated) : null;
  if (date && date.zone === null) return { startTime: undefined, date };
  return { startTime: toInstantText(stated), date: date ?? undefined };
}

/** Characters of speech per second below which whole numbers are milliseconds: people speak about 15. */
const SLOWEST = 0.1;

/** Decides what times are: numbers are seconds, unless the meeting would be far too long or hardly anything said. */
function findUnit(
  pieces: readonly Piece[],
  startTime: string | undefined,
  endTime: string | undefined,
): Unit {
  const times = pieces.flatMap(({ start, end }) => [start, end]).filter((time) => time !== undefined);
  if (times.some((time) => typeof time === "string" && /^\d{4}-\d{2}-\d{2}/.test(time))) return "instants";
  const numbers = times.flatMap((time) => toSeconds(time) ?? []);
  const last = numbers.reduce((most, time) => Math.max(most, time), 0);
  if (last > 1e9) return "instants";
  if (times.some((time) => typeof time === "string" && time.includes(":"))) return "seconds";
  const length = (Date.parse(endTime ?? "") - Date.parse(startTime ?? "")) / 1000;
  if (length > 0) return last > 10 * length ? "milliseconds" : "seconds";
  const characters = pieces.reduce((sum, { text }) => sum + (typeof text === "string" ? text.length : 0), 0);
  const isSparse = last >= 1000 && characters / last < SLOWEST;
  return isSparse && numbers.every(Number.isInteger) ? "milliseconds" : "seconds";
}
