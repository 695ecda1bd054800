import { namesSection } from "./action-items.js";
import type { ChosenLayout } from "./choose-layout.js";
import { isTranscriptHeading } from "./service-lines.js";

const RULE = /^(?:-{3,}|={3,}|\*{3,}|_{3,})?$/;
const LIST_ITEM = /^[-–—*+•] /;

/**
 * Finds the notes below a transcript: from the first heading such as `Next steps` after which nobody speaks, and no heading
 * `Transcript` stands. A line without marks is a heading only above a list: otherwise somebody may have said it. An item of
 * a list, such as `- Tom: split the pipeline`, is speech only if the first turn is an item.
 * @returns where speech ends and where notes begin, with only rules and empty lines between; without notes, both are the
 * number of lines
 */
export function findClosing(
  lines: readonly string[],
  { heads, first }: ChosenLayout,
): { readonly speech: number; readonly notes: number } {
  const listed = LIST_ITEM.test(lines[first] ?? "");
  const isHeading = (at: number) =>
    namesSection(lines[at] ?? "") && (/^(?:#|\*\*)/.test(lines[at] ?? "") || isAboveList(lines, at));
  const spoken = [...heads.keys()].filter((at) => {
    const line = lines[at] ?? "";
    return !namesSection(line) && (listed || !LIST_ITEM.test(line));
  });
  const last = spoken.at(-1) ?? first;
  let notes = Math.max(
    last + (heads.get(last)?.lines ?? 1),
    lines.findLastIndex((line) => isTranscriptHeading(line)) + 1,
  );
  while (notes < lines.length && !isHeading(notes)) notes++;
  if (notes === lines.length) return { speech: notes, notes };
  let speech = notes;
  while (RULE.test(lines[speech - 1] ?? " ")) speech--;
  return { speech, notes };
}

/** Returns true if the first line below a heading is an item of a list. */
const isAboveList = (lines: readonly string[], heading: number): boolean =>
  LIST_ITEM.test(lines[heading + 1] || lines[heading + 2] || "");
