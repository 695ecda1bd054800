import { TranscriptError } from "../transcript.js";

/** A row of a table. */
export interface CsvRow {
  /** Line number at which it begins, from 1. */
  readonly line: number;
  readonly cells: readonly string[];
}

const LINE_END = /\r\n?|\n/y;

/**
 * Parses delimited text by RFC 4180: cells in quotes can have delimiters, line ends and doubled quotes. A quote within a cell that
 * doesn't begin with one is text. Blank lines are no rows.
 * @throws TranscriptError for a quote that is not closed, and text after one
 */
export function* parseCsv(text: string, delimiter: string): Generator<CsvRow> {
  let [at, line] = [0, 1];
  while (at < text.length) {
    const cells: string[] = [];
    const first = line;
    for (;;) {
      const cell = text[at] === '"' ? readQuoted(text, at, line) : readPlain(text, at, delimiter);
      cells.push(cell.value);
      at = cell.end;
      line += countLines(cell.value);
      if (text[at] !== delimiter) break;
      at++;
    }
    LINE_END.lastIndex = at;
    const end = LINE_END.exec(text)?.[0] ?? "";
    if (end === "" && at < text.length)
      throw new TranscriptError(line, "Text follows a closing quote. Write a quote within a cell twice.");
    at += end.length;
    line++;
    if (cells.some((cell) => cell.trim() !== "")) yield { line: first, cells };
  }
}

interface Cell {
  readonly value: string;
  /** Index after it. */
  readonly end: number;
}

function readPlain(text: string, from: number, delimiter: string): Cell {
  let end = from;
  while (end < text.length && text[end] !== delimiter && text[end] !== "\n" && text[end] !== "\r") end++;
  return { value: text.slice(from, end), end };
}

function readQuoted(text: string, from: number, line: number): Cell {
  for (let end = text.indexOf('"', from + 1); end >= 0; end = text.indexOf('"', end + 2)) {
    if (text[end + 1] !== '"')
      return { value: text.slice(from + 1, end).replaceAll('""', '"'), end: end + 1 };
  }
  throw new TranscriptError(line, "The quote that begins here is not closed.");
}

const countLines = (cell: string): number => cell.split(/\r\n?|\n/).length - 1;
