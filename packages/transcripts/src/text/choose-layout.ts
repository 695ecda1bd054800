import { isServiceLine } from "./furniture.js";
import { createLabelLayout, createNameAloneLayout, type Layout, STRONG_LAYOUTS } from "./layouts.js";

/** A layout of a file, and where its first turn begins. */
export interface ChosenLayout {
  readonly layout: Layout;
  readonly first: number;
}

interface Found extends ChosenLayout {
  /** Headers that the file has in this layout. */
  readonly count: number;
}

/** Lines without a speaker that a layout may leave before its first turn and still be preferred to `name: text`. */
const LEAD = 3;

/**
 * Chooses the layout of a text. Times beside names are preferred to `name: text`, which speech has too (`My point is
 * this: we wait`), as long as they begin about as early in the file. Names alone on their lines come last.
 * @returns null for a text that names nobody.
 */
export function chooseLayout(lines: readonly string[]): ChosenLayout | null {
  const strong = STRONG_LAYOUTS.flatMap((layout) => findFirstTurn(layout, lines) ?? []).sort(
    (one, other) => one.first - other.first || other.count - one.count,
  );
  const best = strong.sort((one, other) => other.count - one.count)[0];
  const labels = findFirstTurn(createLabelLayout(lines), lines);
  if (best) {
    const countLeadLines = (found: Found) =>
      lines.slice(0, found.first).filter((line) => !isServiceLine(line)).length;
    if (!labels) return best;
    if (countLeadLines(best) <= countLeadLines(labels) + (best.count > 1 ? LEAD : 0)) return best;
    return labels;
  }
  const alone = findFirstTurn(createNameAloneLayout(lines), lines);
  if (alone && (!labels || (alone.first < labels.first && alone.count > labels.count))) return alone;
  return labels;
}

function findFirstTurn(layout: Layout, lines: readonly string[]): Found | null {
  let first = -1;
  let count = 0;
  for (let at = 0; at < lines.length; at++) {
    if (isServiceLine(lines[at] ?? "")) continue;
    const header = layout.readHeader(lines, at);
    if (!header) continue;
    if (first < 0) first = at;
    count++;
    at += header.lines - 1;
  }
  return first < 0 ? null : { layout, first, count };
}
