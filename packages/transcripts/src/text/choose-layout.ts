import { createLabelLayout, createNameAloneLayout, DISTINCTIVE_LAYOUTS, type Layout } from "./layouts.js";
import { isServiceLine } from "./service-lines.js";

/** The chosen layout and where its first turn begins. */
export interface ChosenLayout {
  readonly layout: Layout;
  readonly first: number;
}

interface Found extends ChosenLayout {
  /** Number of headers that match this layout. */
  readonly count: number;
}

/** Maximum lines without a speaker before a layout's first turn for it to be preferred over `name: text`. */
const LEAD = 3;

/**
 * Chooses the layout of a text. Layouts with times are preferred over `name: text`, which also matches speech (`My
 * point is this: we wait`), if they begin about as early in the file. Names alone on a line come last.
 * @returns null if no line names a speaker
 */
export function chooseLayout(lines: readonly string[]): ChosenLayout | null {
  const strong = DISTINCTIVE_LAYOUTS.flatMap((layout) => findFirstTurn(layout, lines) ?? []).sort(
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
