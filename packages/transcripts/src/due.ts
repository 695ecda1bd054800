import { findDate } from "./dates.js";
import type { Task } from "./transcript.js";

/** What stands before the day by which something should be done: words, and the marks of Obsidian Tasks, Dataview and TaskPaper. */
const MARK =
  /📅|📆|🗓\ufe0f?|@due\(|(?<![\p{L}\p{N}])(?:due(?: date| on| by)?|deadline|by)(?![\p{L}\p{N}]):{0,2}/giu;
/** Maximum characters after the mark in which a date ends. */
const REACH = 40;

/**
 * Finds the day by which a task should be done, such as `2026-11-28` for `Call them by 28 November 2026`. Only a day with its year
 * counts, and `11/05/2026` doesn't, because it is another day for Americans.
 */
export function findDue(text: string): string | null {
  if (!/20\d{2}/.test(text)) return null;
  for (const { 0: mark, index } of text.matchAll(MARK)) {
    const after = index + mark.length;
    const rest = text.slice(after, after + REACH).trimStart();
    const date = findDate(rest);
    if (date && rest.startsWith(date.matched) && !/^\d+(?:\/|$)/.test(date.matched)) return toDay(date);
  }
  return null;
}

const toDay = ({ year, month, day }: { year: number; month: number; day: number }): string =>
  [year, month, day].map((part) => String(part).padStart(2, "0")).join("-");

/** Gives a task the day that its text names. The text stays as it is. */
export function withDue(task: Task): Task {
  const due = findDue(task.text);
  return due === null ? task : { ...task, due };
}
