import { runSteps, type Steps } from "@minutes/db";
import { z } from "zod";

/** Rows of a list that are checked or written per step. Only lists of turns have more. */
const ROWS = 500;

const isLong = (value: unknown): value is readonly unknown[] => Array.isArray(value) && value.length > ROWS;

type Fields = Readonly<Record<string, unknown>>;

/** Works on a list in steps. */
function* mapParts<Part>(
  list: readonly unknown[],
  work: (rows: readonly unknown[]) => Part,
  rows = ROWS,
): Steps<Part[]> {
  const parts: Part[] = [];
  for (let at = 0; at < list.length; at += rows) {
    parts.push(work(list.slice(at, at + rows)));
    yield;
  }
  return parts;
}

/** Answers that are written in steps, with the number of rows per step. */
const written = new WeakMap<object, number>();

/** Has an answer written row by row, because a row of it can have megabytes. */
export function writeRowByRow<Answer extends object>(answer: Answer): Answer {
  written.set(answer, 1);
  return answer;
}

/** A field of an answer that is a list. */
type List = readonly [field: string, schema: z.ZodType];

/** Creates the function that checks an operation's answers: as its schema does, but the rows of a long list in steps. */
export function createCheck(output: z.ZodType): (answer: unknown) => unknown {
  const shape: Readonly<Record<string, unknown>> = output instanceof z.ZodObject ? output.shape : {};
  const lists = Object.entries(shape).flatMap(([field, schema]): List[] =>
    schema instanceof z.ZodArray ? [[field, schema]] : [],
  );
  return (answer) => {
    const given = answer as Fields | null;
    if (lists.some(([field]) => isLong(given?.[field])))
      return runSteps(checkLong(output, answer as Fields, lists));
    const checked = output.parse(answer);
    return written.has(answer as object) ? writeRowByRow(checked as object) : checked;
  };
}

/** Checks an answer with long lists. */
export function* checkLong(output: z.ZodType, answer: Fields, lists: readonly List[]): Steps<object> {
  const long = lists.filter(([field]) => isLong(answer[field]));
  const empty = Object.fromEntries(long.map(([field]) => [field, []]));
  const checked = output.parse({ ...answer, ...empty }) as Record<string, unknown>;
  for (const [field, schema] of long)
    checked[field] = (yield* mapParts(answer[field] as unknown[], (rows) => schema.parse(rows))).flat();
  written.set(checked, ROWS);
  return checked;
}

/** Writes a checked answer as `JSON.stringify` does, but long lists in steps. */
export function writeJson(answer: unknown): string | Promise<string> {
  const rows = written.get(answer as object);
  return rows === undefined ? JSON.stringify(answer) : runSteps(writeLong(answer as Fields, rows));
}

/** Writes an answer in steps. @param rows of a list per step */
export function* writeLong(answer: Fields, rows = ROWS): Steps<string> {
  const write = (part: readonly unknown[]) => JSON.stringify(part).slice(1, -1);
  const fields: string[] = [];
  for (const [field, value] of Object.entries(answer)) {
    if (value === undefined) continue;
    const json = Array.isArray(value)
      ? `[${(yield* mapParts(value, write, rows)).join()}]`
      : JSON.stringify(value);
    fields.push(`${JSON.stringify(field)}:${json}`);
  }
  return `{${fields.join()}}`;
}

/** Longest piece of a text that is sent or hashed at once, in characters. */
const PIECE = 128 * 1024;

/** Returns true for a text that is sent and hashed in pieces. */
export const isInPieces = (text: string): boolean => text.length > PIECE;

/** Splits a text into pieces that are encoded alone: no surrogate pair is split. */
export function* splitText(text: string): Generator<string, void> {
  for (let at = 0; at < text.length; ) {
    const end = at + PIECE;
    const isSplit = end < text.length && /[\uD800-\uDBFF]/.test(text.charAt(end - 1));
    yield text.slice(at, isSplit ? end - 1 : end);
    at = isSplit ? end - 1 : end;
  }
}
