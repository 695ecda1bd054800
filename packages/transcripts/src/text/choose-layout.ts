import { decideLabels, type KnownPeople } from "../labels.js";
import type { Likeness } from "../names.js";
import type { Doubt } from "../transcript.js";
import { isCheckbox } from "./action-items.js";
import {
  DISTINCTIVE_LAYOUTS,
  type Head,
  INLINE_LABEL,
  type Layout,
  NAME_ALONE,
  readTimeLine,
} from "./layouts.js";
import { isServiceLine } from "./service-lines.js";

/** The head of a turn. */
interface TurnHead extends Head {
  readonly speaker: string;
}

/** A head, whose speaker is found once all are known. */
type Found = TurnHead & { readonly at: number; leads: boolean };

/** The chosen layout and the heads of its turns. */
export interface ChosenLayout {
  readonly layout: Layout;
  /** Heads by the index of their first line. */
  readonly heads: ReadonlyMap<number, TurnHead>;
  /** Index of the first head. */
  readonly first: number;
  readonly doubts: readonly Doubt[];
}

/** Number of lines from which the layout of a longer text is chosen. */
const SAMPLE = 4_000;
/** Maximum lines without a speaker before a layout's first turn for it to be preferred over `name: text`. */
const LEAD = 3;

/**
 * Chooses the layout of a text. Layouts with times are preferred over `name: text`, which also matches speech (`My
 * point is this: we wait`), if they begin about as early in the file. Names alone on a line come last.
 * @param listed indexes of lines with lists of people
 * @returns null if no line names a speaker
 */
export function chooseLayout(
  lines: readonly string[],
  known: KnownPeople,
  listed: ReadonlySet<number>,
): ChosenLayout | null {
  const service = lines.map((line, at) => listed.has(at) || isServiceLine(line));
  if (lines.length > SAMPLE) {
    const sample = compareLayouts(lines.slice(0, SAMPLE), service.slice(0, SAMPLE), known);
    const whole = sample && findTurns(sample.layout, lines, service, known);
    if (whole) return whole;
  }
  return compareLayouts(lines, service, known);
}

function compareLayouts(
  lines: readonly string[],
  service: readonly boolean[],
  known: KnownPeople,
): ChosenLayout | null {
  const find = (layout: Layout) => findTurns(layout, lines, service, known);
  const countLead = ({ first }: ChosenLayout) => {
    let lead = 0;
    for (let at = 0; at < first; at++) if (!service[at]) lead++;
    return lead;
  };
  const rank = (found: ChosenLayout) => found.heads.size - countLead(found);
  const [best] = DISTINCTIVE_LAYOUTS.flatMap((layout) => find(layout) ?? []).sort(
    (one, other) => rank(other) - rank(one),
  );
  const labels = find(INLINE_LABEL);
  if (best) {
    if (!labels || labels.heads.size <= best.heads.size / 2) return best;
    const early = countLead(best) <= countLead(labels) + (best.heads.size > 1 ? LEAD : 0);
    return early && labels.heads.size <= 2 * best.heads.size ? best : labels;
  }
  const alone = find(NAME_ALONE);
  if (alone && (!labels || (alone.first < labels.first && alone.heads.size >= labels.heads.size)))
    return alone;
  return labels;
}

const isSureName = (rating: Likeness): boolean => rating === "certain" || rating === "name";

function findTurns(
  layout: Layout,
  lines: readonly string[],
  service: readonly boolean[],
  known: KnownPeople,
): ChosenLayout | null {
  const found: Found[] = [];
  const leads = (at: number) => at === 0 || lines[at - 1] === "" || service[at - 1] === true;
  for (let at = 0; at < lines.length; at++) {
    if (lines[at] === "") continue;
    if (isCheckbox(lines[at] ?? "")) continue;
    // A line of times is a service's unless a name is next to it.
    if (service[at] && !(layout.timed && readTimeLine(lines[at] ?? ""))) continue;
    const head = layout.readHead(lines, at);
    if (!head) continue;
    found.push(Object.assign(head, { at, leads: leads(at), speaker: "" }));
    at += head.lines - 1;
  }
  if (found.length === 0) return null;
  let [paragraphs, filled] = [0, 0];
  for (const [at, line] of lines.entries()) {
    if (line === "" || service[at]) continue;
    filled++;
    if (leads(at)) paragraphs++;
  }
  const names = found.filter(({ label }) => isSureName(known.rate(label)));
  // In a text without empty lines between turns, every line can begin one.
  const spaced = names.filter((head) => head.leads).length * 10 >= names.length * 9 && paragraphs > 1;
  if (!spaced) for (const head of found) head.leads = true;
  const units = spaced ? paragraphs : filled;
  const kept = layout === NAME_ALONE ? keepNamesAlone(found, units, known) : found;
  const { findSpeaker, doubts } = decideLabels(kept, units, known);
  const heads = new Map<number, TurnHead>();
  for (const head of kept) {
    const speaker = findSpeaker(head.label, head.rest);
    if (speaker) heads.set(head.at, Object.assign(head, { speaker: speaker.speaker, rest: speaker.text }));
  }
  const [first] = heads.keys();
  if (first === undefined || !isPlausible(heads, known)) return null;
  return { layout, heads, first, doubts };
}

/** Returns true if at least half of the heads have names, not beginnings of speech that happens to stand there. */
function isPlausible(heads: ReadonlyMap<number, TurnHead>, { rate }: KnownPeople): boolean {
  const counts = new Map<string, number>();
  for (const { speaker } of heads.values()) counts.set(speaker, (counts.get(speaker) ?? 0) + 1);
  let names = 0;
  for (const { speaker, placed } of heads.values()) {
    const rating = rate(speaker);
    if (!placed || (counts.get(speaker) ?? 0) > 1 || (rating !== "speech" && rating !== "lower")) names++;
  }
  return names * 2 >= heads.size;
}

/**
 * Returns the lines alone at the beginning of paragraphs that are names: all if every paragraph begins with one, otherwise,
 * if some recur, those that do and those of several words.
 */
function keepNamesAlone(found: readonly Found[], units: number, known: KnownPeople): Found[] {
  const counts = new Map<string, number>();
  for (const { label } of found) counts.set(label, (counts.get(label) ?? 0) + 1);
  const isListed = (label: string) => known.people.has(label.toLowerCase());
  const rate = (label: string) => (isListed(label) ? "certain" : known.rate(label));
  const recurs = (label: string) => (counts.get(label) ?? 0) > 1;
  const written = found.filter(({ label }) => !["speech", "lower"].includes(rate(label)));
  if (written.length > 1 && written.length === units) return [...found];
  if (!written.some(({ label }) => recurs(label) || isListed(label))) return [];
  return written.filter(({ label }) => isSureName(rate(label)) || recurs(label));
}
