import { assignSpeakers, type Said } from "../captions/read-captions.js";
import { areTimesOfDay, parseMark, parseTime, toSecondsSinceFirst } from "../times.js";
import { cleanName, joinLines, type ReadOptions, type Transcript, TranscriptError } from "../transcript.js";
import { type CsvRow, parseCsv } from "./parse-csv.js";

type Field = "speaker" | "start" | "end" | "duration" | "text";

/** Names of columns, without case, spaces, punctuation and unit. The first one comes before the others. */
const NAMES: Readonly<Record<Field, readonly string[]>> = {
  speaker: ["speaker", "speakername", "speakerlabel", "speakers", "name", "participant", "who"],
  start: [
    "start",
    "starttime",
    "starttimecode",
    "timecodein",
    "in",
    "begin",
    "timestamp",
    "timecode",
    "time",
  ],
  end: ["end", "endtime", "endtimecode", "timecodeout", "out"],
  duration: ["duration"],
  text: [
    "text",
    "transcript",
    "transcription",
    "sentence",
    "content",
    "utterance",
    "speech",
    "caption",
    "dialogue",
  ],
};
const FIELDS = Object.keys(NAMES) as Field[];
/** Columns that only count rows. */
const COUNTERS = new Set(["", "#", "no", "nr", "number", "index", "row", "line", "id"]);

const DELIMITERS = [",", ";", "\t", "|"];
/** Excel's first line, which names the delimiter. */
const EXCEL = /^\s*"?sep=([,;\t|])"?(?:\r\n?|\n)/i;
const UNIT = /[([\s_]{1,3}(ms|millis(?:econds)?|s|secs?|seconds)[)\]\s]{0,3}$/i;
/** Maximum number of other columns that are reported, and of characters of a column's name. */
const MOST_OTHERS = 100;
const LONGEST_NAME = 80;

/** A column and its place. */
interface Column {
  readonly at: number;
  /** Its name as written. */
  readonly name: string;
  /** True if its name says that its numbers are milliseconds. */
  readonly milliseconds: boolean;
  /** True if its name says what its numbers are. */
  readonly hasUnit: boolean;
}
type Columns = Readonly<Partial<Record<Field, Column>>> & { readonly text: Column };

const EXAMPLE = "speaker,start,end,text";
const HEADERLESS = `The first line names no column for the text. Name the columns there, such as ${EXAMPLE}, or export the transcript as text or captions.`;

/**
 * Reads a table with a row for each turn, whose first row names the columns. Without a column for speakers, they are labels in the
 * text. A row without a speaker continues the previous one.
 * @throws TranscriptError for a header without text, columns that could be the same, and rows that don't fit the header
 */
export function readCsv(source: string, options: ReadOptions = {}): Transcript {
  const named = EXCEL.exec(source)?.[1];
  const text = source.replace(EXCEL, "\n");
  const { delimiter, columns, header } = chooseDelimiter(text, named === undefined ? DELIMITERS : [named]);
  const [, ...rows] = parseCsv(text, delimiter);
  if (rows.length === 0) throw new TranscriptError(header.line, "This file has a header and no rows.");
  const fields = rows.map((row) => pickFields(row, columns, header));
  const { times, firstClock, remarks } = readTimes(fields, columns);
  let speaker: string | null = null;
  const said = fields.flatMap((row, at): Said[] => {
    speaker = cleanName(row.speaker) || speaker;
    const lines = row.text.split(/\r\n?|\n/).flatMap((line) => joinLines(line) || []);
    return lines.length === 0 ? [] : [{ line: row.line, speaker, lines, end: null, ...times[at] }];
  });
  const others = listOthers(header, columns);
  return {
    ...assignSpeakers({ said, remarks }, options),
    ...(firstClock === undefined ? {} : { firstClock }),
    ...(others.length === 0 ? {} : { notStored: others }),
  };
}

/** Lists the names of columns that a transcript has no place for. */
function listOthers({ cells }: CsvRow, columns: Columns): string[] {
  const known = new Set(FIELDS.map((field) => columns[field]?.at));
  return cells
    .filter((name, at) => !known.has(at) && !COUNTERS.has(toKey(name)))
    .slice(0, MOST_OTHERS)
    .map(toName);
}

/** Finds the delimiter by which the first row names a column for the text. @throws TranscriptError */
function chooseDelimiter(text: string, delimiters: readonly string[]) {
  for (const delimiter of delimiters) {
    const header = readHeader(text, delimiter);
    const columns = header && findColumns(header);
    if (columns) return { delimiter, columns, header };
  }
  throw new TranscriptError(1, HEADERLESS);
}

/** Reads the first row; null if there is none with this delimiter. */
function readHeader(text: string, delimiter: string): CsvRow | null {
  try {
    const [header] = parseCsv(text, delimiter);
    return header ?? null;
  } catch (error) {
    if (error instanceof TranscriptError) return null;
    throw error;
  }
}

const toName = (cell: string): string => cell.trim().slice(0, LONGEST_NAME);

const toKey = (cell: string): string =>
  toName(cell)
    .replace(UNIT, "")
    .replace(/[\s_.()[\]-]/g, "")
    .toLowerCase();

/** Finds the columns of a header. @returns null if none is the text @throws TranscriptError if two can be the same */
function findColumns({ line, cells }: CsvRow): Columns | null {
  const found: Partial<Record<Field, Column>> = {};
  for (const field of FIELDS) {
    const [first = ""] = NAMES[field];
    const listCalled = (names: readonly string[]) =>
      cells.flatMap((cell, at) => (names.includes(toKey(cell)) ? toColumn(cell, at) : []));
    const exact = listCalled([first]);
    const [column, other] = exact.length > 0 ? exact : listCalled(NAMES[field]);
    if (column && other)
      throw new TranscriptError(
        line,
        `Two columns can be the ${field}: ${column.name} and ${other.name}. Name only one of them ${first}.`,
      );
    if (column) found[field] = column;
  }
  return found.text ? { ...found, text: found.text } : null;
}

function toColumn(cell: string, at: number): Column {
  const name = toName(cell);
  const unit = UNIT.exec(name)?.[1];
  return { at, name, milliseconds: /^m/i.test(unit ?? ""), hasUnit: unit !== undefined };
}

/** The fields of a row, as text. */
type Fields = Readonly<Record<Field, string>> & { readonly line: number };

/** @throws TranscriptError for a row that doesn't fit the header */
function pickFields({ line, cells }: CsvRow, columns: Columns, header: CsvRow): Fields {
  const isLonger = cells.slice(header.cells.length).some((cell) => cell.trim() !== "");
  if (isLonger || cells.length <= columns.text.at)
    throw new TranscriptError(
      line,
      `Cells: ${header.cells.length} in the header, ${cells.length} in this row. Put text that contains delimiters or line breaks in quotes.`,
    );
  const pick = (field: Field) => cells[columns[field]?.at ?? -1]?.trim() ?? "";
  const fields = Object.fromEntries(FIELDS.map((field) => [field, pick(field)])) as Record<Field, string>;
  return { ...fields, line };
}

/** A time as it was written. */
interface WrittenTime {
  /** Null for none that can be read; absent for an empty cell. */
  readonly seconds?: number | null;
  readonly frames?: true;
  /** True for a whole number without a unit. */
  readonly bare?: true;
}

const FRAMES = /^(\d{1,2})[:;](\d{2})[:;](\d{2})[:;]\d{2}$/;
const WORDS =
  /^(?:(\d{1,3}) ?h(?:ours?)?)? ?(?:(\d{1,4}) ?m(?:in(?:utes?)?)?)? ?(?:(\d{1,6}(?:[.,]\d{1,9})?) ?s(?:ec(?:onds?)?)?)?$/i;

function readTime(cell: string, column: Column | undefined): WrittenTime {
  if (!column || cell === "") return {};
  if (/^\d{1,12}(?:[.,]\d{1,9})?$/.test(cell)) {
    const number = Number(cell.replace(",", "."));
    if (column.milliseconds) return { seconds: number / 1_000 };
    const bare = !column.hasUnit && /^\d+$/.test(cell);
    return { seconds: number, ...(bare ? { bare } : {}) };
  }
  const [, hours, minutes, seconds] = FRAMES.exec(cell) ?? [];
  if (hours !== undefined) return { seconds: parseTime(`${hours}:${minutes}:${seconds}`), frames: true };
  const [words, h = "0", m = "0", s = "0"] = WORDS.exec(cell) ?? [];
  if (words) return { seconds: Number(h) * 3_600 + Number(m) * 60 + Number(s.replace(",", ".")) };
  return { seconds: /^\d+ ?ms$/i.test(cell) ? Number.parseInt(cell, 10) / 1_000 : parseTime(cell) };
}

const round = (seconds: number): number => Math.round(seconds * 1_000) / 1_000;

/** Reads the times of all rows, because one alone doesn't say whether it is a time of day. */
function readTimes(rows: readonly Fields[], columns: Columns) {
  const clock = readTimesOfDay(rows, columns);
  if (clock) return clock;
  const read = rows.map((row) => {
    // A column of times can have both: `00:01 - 00:05`.
    const parts = columns.end ? [] : row.start.split(/-->|–|—|(?<=\d) ?- ?(?=\d)/);
    const [from = "", to] = parts.length === 2 ? parts : [row.start];
    const start = readTime(from.trim(), columns.start);
    const length = readTime(row.duration, columns.duration);
    const end = to === undefined ? readTime(row.end, columns.end) : readTime(to.trim(), columns.start);
    const last =
      end.seconds ??
      (start.seconds != null && length.seconds != null ? round(start.seconds + length.seconds) : null);
    return { written: [start, end, length], start: start.seconds, end: last };
  });
  const written = read.flatMap((row) => row.written);
  const remarks = [
    ...(written.some(({ frames }) => frames) ? ["Frames in times were left out."] : []),
    ...(written.some(({ bare }) => bare) && !written.some(({ seconds }) => (seconds ?? 0) % 1 > 0)
      ? ["Times without a unit were read as seconds."]
      : []),
  ];
  return { times: read.map(({ start, end }) => ({ start, end })), firstClock: undefined, remarks };
}

const CLOCK = /^\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?(?: ?[ap]\.?m\.?)?$/i;

/** Reads times of day, which count from the first one; null if the times are others. */
function readTimesOfDay(rows: readonly Fields[], columns: Columns) {
  const cells = rows.flatMap(({ start, end }) => [start, end]);
  const written = cells.filter((cell) => cell !== "");
  if (!columns.start || written.length === 0 || !written.every((cell) => CLOCK.test(cell))) return null;
  const marks = cells.map((cell) => (cell === "" ? null : parseMark(cell)));
  if (!areTimesOfDay(marks.filter((mark) => mark !== null))) return null;
  const since = toSecondsSinceFirst(marks.map((mark) => mark?.seconds ?? null));
  const times = rows.map((row, at) => ({
    start: row.start === "" ? undefined : (since[2 * at] ?? null),
    end: since[2 * at + 1] ?? null,
  }));
  return { times, firstClock: marks.find((mark) => mark !== null)?.seconds ?? undefined, remarks: [] };
}
