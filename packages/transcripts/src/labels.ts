import { isLabel, type Likeness, rateLabel } from "./names.js";
import { cleanName, type Doubt } from "./transcript.js";

/** What is known of the people in a file before its labels are looked at. */
export interface KnownPeople {
  /** Labels that the importer says are speakers. */
  readonly speakers: ReadonlySet<string>;
  /** Labels that the importer says are speech. */
  readonly notSpeakers: ReadonlySet<string>;
  /** Names in the file's lists of people, in its calendar event, or known to the importer. */
  readonly people: ReadonlySet<string>;
  /** True if the file itself lists its people. */
  readonly listed: boolean;
  /** Estimates how much a label looks like a name; equal labels are looked at once. */
  readonly rate: (label: string) => Likeness;
}

/** A text that can be a label, where the file's layout has labels. */
export interface Candidate {
  readonly label: string;
  /** Text after the label. */
  readonly rest: string;
  /** True if only labels stand in such a place: next to a time, above a time. */
  readonly placed: boolean;
  /** True if it begins a paragraph or cue. */
  readonly leads: boolean;
}

export interface Decision {
  /** Returns the name of the speaker that a label is; null for speech. */
  readonly findSpeaker: (label: string, rest: string) => FoundSpeaker | null;
  readonly doubts: readonly Doubt[];
}

/** A speaker found in a line, and the speech after their name. */
interface FoundSpeaker {
  readonly speaker: string;
  readonly text: string;
}

/** Share of cues or paragraphs that must begin with a label for unlikely names to be labels, too. */
const NEARLY_ALL = 0.8;
/** Maximum doubts reported. */
const MOST_DOUBTS = 100;

interface Support {
  count: number;
  placed: number;
  leads: number;
  /** Name after a further colon, if all lines with this label have the same one; null if they differ. */
  extension: string | null | undefined;
}

const normalize = (name: string) => cleanName(name).toLowerCase();

/** Prepares what is known of the people. */
export function createKnownPeople(
  {
    speakers = [],
    notSpeakers = [],
    people = [],
  }: {
    readonly speakers?: readonly string[] | undefined;
    readonly notSpeakers?: readonly string[] | undefined;
    readonly people?: readonly string[] | undefined;
  },
  listed: readonly string[] = [],
): KnownPeople {
  const ratings = new Map<string, Likeness>();
  return {
    rate: (label) => {
      const known = ratings.get(label) ?? rateLabel(label);
      ratings.set(label, known);
      return known;
    },
    speakers: new Set(speakers.map(normalize)),
    notSpeakers: new Set(notSpeakers.map(normalize)),
    people: new Set([...people, ...listed].map(normalize)),
    listed: listed.length > 0,
  };
}

/**
 * Decides for all labels of a file together which are speakers, by what the importer says, by the file's lists of people,
 * by how often and where labels stand, and last by how they are written.
 * @param units number of cues or paragraphs, which labels can begin
 */
export function decideLabels(candidates: readonly Candidate[], units: number, known: KnownPeople): Decision {
  const supports = collect(candidates, known);
  const spoken = (label: string) => known.speakers.has(label) || known.people.has(label);
  let begun = 0;
  for (const [label, { leads }] of supports) {
    if (spoken(normalize(label)) || known.rate(label) !== "speech") begun += leads;
  }
  const regular = begun >= NEARLY_ALL * Math.max(units, 1);
  const accepted = new Set<string>();
  const doubts: Doubt[] = [];
  const decide = (label: string, support: Support, onlyHeadings: boolean): [boolean, boolean] => {
    const name = normalize(label);
    if (known.notSpeakers.has(name)) return [false, false];
    if (spoken(name)) return [true, false];
    const rating = known.rate(label);
    const { count, placed, leads } = support;
    if (placed > 0) {
      // Next to a time only speech that ends with a time can be wrong, which is rare.
      const sure = rating === "certain" || rating === "name" || count > 1;
      return [isLabel(label), !sure];
    }
    if (rating === "certain") return [true, false];
    // A label in the middle of a paragraph, where all others begin one, is speech.
    const inside = leads === 0 && regular;
    if (rating === "name") return [!inside || count > 1, inside];
    if (rating === "speech")
      return [onlyHeadings && isLabel(label) && count > 1, count > 1 && isLabel(label)];
    if (inside || (known.listed && count === 1)) return [false, true];
    if (rating === "word") return [true, count === 1];
    if (rating === "ambiguous") return [count > 1 || regular, true];
    return [count > 1 || regular, true];
  };
  const decideAll = (onlyHeadings: boolean) => {
    for (const [label, support] of supports) {
      const [speaker, doubtful] = decide(label, support, onlyHeadings);
      if (speaker) accepted.add(label);
      if (doubtful && (speaker || known.rate(label) !== "speech" || support.count > 1))
        doubts.push({ label: cleanName(label), count: support.count, speaker });
    }
  };
  decideAll(false);
  if (accepted.size === 0) {
    doubts.length = 0;
    decideAll(true);
  }
  return {
    findSpeaker: (label, rest) => {
      const extended = extend(label, rest, supports, known);
      if (extended) return extended;
      return accepted.has(label) ? { speaker: cleanName(label), text: rest } : null;
    },
    doubts: doubts.sort((one, other) => other.count - one.count).slice(0, MOST_DOUBTS),
  };
}

function collect(candidates: readonly Candidate[], known: KnownPeople): Map<string, Support> {
  const supports = new Map<string, Support>();
  for (const { label, rest, placed, leads } of candidates) {
    const support = supports.get(label) ?? { count: 0, placed: 0, leads: 0, extension: undefined };
    supports.set(label, support);
    support.count++;
    if (placed) support.placed++;
    if (leads) support.leads++;
    const further = splitLabel(rest)?.label ?? null;
    if (support.extension === undefined) support.extension = further;
    else if (support.extension !== further) support.extension = null;
  }
  for (const [label, support] of supports) {
    const full = normalize(`${label}: ${support.extension ?? ""}`);
    const named = known.people.has(full) || known.speakers.has(full);
    const repeated = support.count > 1 && known.rate(support.extension ?? "") !== "speech";
    if (!named && !(repeated && known.rate(label) !== "speech")) support.extension = null;
  }
  return supports;
}

/** Finds a speaker whose name has a colon: `Room 4: Lisbon`. */
function extend(
  label: string,
  rest: string,
  supports: ReadonlyMap<string, Support>,
  known: KnownPeople,
): FoundSpeaker | null {
  const further = splitLabel(rest);
  if (!further) return null;
  const full = `${label}: ${further.label}`;
  const name = normalize(full);
  if (known.notSpeakers.has(name)) return null;
  if (
    supports.get(label)?.extension !== further.label &&
    !known.people.has(name) &&
    !known.speakers.has(name)
  )
    return null;
  return { speaker: cleanName(full), text: further.rest };
}

/** A numbered speaker in brackets, as recognizers write it also without a colon: `[SPEAKER_00] text`. */
const NUMBERED = /^[[(]((?:speaker|spk)[ _-]?\d{1,4})[\])][ \t]+(?=\S)/i;

/** Splits `label: text` at the first colon that a label can end with, or `[SPEAKER_00] text`; null for other lines. */
export function splitLabel(line: string): { readonly label: string; readonly rest: string } | null {
  const [numbered, speaker] = NUMBERED.exec(line) ?? [];
  if (numbered !== undefined && speaker !== undefined)
    return { label: speaker, rest: line.slice(numbered.length) };
  const head = line.slice(0, 140);
  for (let at = head.search(/[:\uFF1A]/); at > 0; ) {
    const next = head[at + 1];
    // A colon without a space is part of a time, a ratio or an address.
    if (head[at] === "\uFF1A" || next === undefined || /\s/.test(next) || line.length === at + 1) {
      const label = unwrap(head.slice(0, at).trim());
      return label === "" || label.length > 120 ? null : { label, rest: line.slice(at + 1).trim() };
    }
    const more = head.slice(at + 1).search(/[:\uFF1A]/);
    at = more < 0 ? -1 : at + 1 + more;
  }
  return null;
}

/** Removes the brackets around a whole label: `[SPEAKER_00]`. */
function unwrap(label: string): string {
  const inside = /^(?:\[([^[\]]+)\]|\(([^()]+)\)|"([^"]+)")$/.exec(label);
  return (inside?.[1] ?? inside?.[2] ?? inside?.[3] ?? label).trim();
}
