/** A part of a text, in UTF-16 units, and what is shown instead. */
interface Masked {
  readonly from: number;
  readonly to: number;
  readonly shown: string;
}

/** Replaces what people outside must not see. */
export interface Mask {
  /** Normalizes a text, whose parts `find` then returns. */
  readonly prepare: (text: string) => string;
  /** Finds addresses, telephone numbers and, if names are masked, names: in order, without overlaps. */
  readonly find: (text: string) => readonly Masked[];
  /** Masks a plain text. */
  readonly text: (text: string) => string;
  /** Masks the name of a speaker, assignee or attendee. @param label the speaker's; null for others */
  readonly name: (name: string, label: string | null) => string;
}

/** The people of a meeting whose names are masked. */
export interface MaskedPeople {
  /** In the order of their first turn. */
  readonly speakers: readonly MaskedSpeaker[];
  /** Names of assignees, attendees and the owner; they can be speakers, too. */
  readonly others: readonly string[];
}

interface MaskedSpeaker {
  readonly label: string;
  readonly name: string;
  /** Further names of the same person: texts still have the one from before a merge. */
  readonly otherNames?: readonly string[];
}

const ADDRESS = "[address hidden]";
const NUMBER = "[number hidden]";

/** Creates a mask for one meeting. @param people null if names are shown */
export function createMask(people: MaskedPeople | null): Mask {
  const names = people && listNames(people);
  const find = (text: string): readonly Masked[] => {
    const contacts = [...findAddresses(text), ...findNumbers(text)];
    return joinOverlaps(names ? [...contacts, ...findNames(text, names)] : contacts);
  };
  const mask = (sent: string): string => {
    const text = prepare(sent);
    let shown = "";
    let at = 0;
    for (const part of find(text)) {
      shown += text.slice(at, part.from) + part.shown;
      at = part.to;
    }
    return shown + text.slice(at);
  };
  return {
    prepare,
    find,
    text: mask,
    name: (name, label) =>
      names ? (names.labels.get(label ?? "") ?? names.whole.get(toKey(name)) ?? "Somebody") : mask(name),
  };
}

/** Characters that show nothing, which would hide an address in the middle. Those of emoji stay. */
const INVISIBLE =
  /(?<!\p{Extended_Pictographic}\ufe0f?|\p{Emoji_Modifier})[\p{Default_Ignorable_Code_Point}\p{Cf}]/gu;

/** Composes accents, and removes invisible characters. */
const prepare = (text: string): string => text.normalize("NFC").replace(INVISIBLE, "");

/** Joins parts that overlap, so that nothing of either is shown: the first one's text stands for both. */
function joinOverlaps(parts: readonly Masked[]): readonly Masked[] {
  const joined: Masked[] = [];
  for (const part of parts.toSorted((a, b) => a.from - b.from || b.to - a.to)) {
    const last = joined.at(-1);
    if (last && part.from < last.to) joined[joined.length - 1] = { ...last, to: Math.max(last.to, part.to) };
    else joined.push(part);
  }
  return joined;
}

/**
 * Where an address can have its `@`, also as people write it to keep it from robots, but not before an address that has one. Fast to
 * find, unlike what is around it.
 */
const AT =
  /[@＠﹫]|%40|[([{] ?at ?[)\]}]| at (?![\p{L}\p{M}\p{N}._%+\-!#$&*=?^`{}~'’]{1,320}[@＠﹫])(?=\S{1,63}(?: dot |[.．。]\p{L}{2}))/giu;
/** Maximum length of the parts before and after the `@`, in UTF-16 units. */
const REACH = 320;
const LOCAL_CHARACTER = /[\p{L}\p{M}\p{N}._%+\-!#$&*/=?^`{|}~'’]/u;
const DOMAIN = /^(?:\[[^\]\s]{1,64}\]|[\p{L}\p{M}\p{N}_-]+(?:[.．。][\p{L}\p{M}\p{N}_-]+)*)/u;
/** A domain after spaces, or with its dots in words. */
const LOOSE_DOMAIN =
  /^\s{0,3}[\p{L}\p{M}\p{N}_-]+(?:(?: ?[.．。] ?| ?[([{] ?dot ?[)\]}] ?| dot )[\p{L}\p{M}\p{N}_-]+)+/iu;

function* findAddresses(text: string): Generator<Masked> {
  let before = 0;
  for (const { 0: sign, index } of text.matchAll(AT)) {
    const after = index + sign.length;
    // What is before the sign before belongs to another address, so each character is looked at once.
    const from = findLocalPart(text, index, Math.max(before, index - REACH));
    before = after;
    if (from === null) continue;
    const right = text.slice(after, after + REACH);
    const loose = LOOSE_DOMAIN.exec(right)?.[0];
    const isTight = (sign.length === 1 || sign === "%40") && !/\s/.test(text.charAt(index - 1));
    const domain = loose ?? (isTight ? DOMAIN.exec(right)?.[0] : undefined);
    if (domain !== undefined) yield { from, to: after + domain.length, shown: ADDRESS };
  }
}

/** Finds where the local part before a sign begins, which can have its dots in words; null if there is none. */
function findLocalPart(text: string, sign: number, least: number): number | null {
  let end = sign;
  while (end > least && end > sign - 3 && /\s/.test(text.charAt(end - 1))) end--;
  if (text.charAt(end - 1) === '"') {
    const opening = text.lastIndexOf('"', end - 2);
    return opening >= Math.max(least, end - 66) && opening < end - 2 ? opening : null;
  }
  for (;;) {
    const from = findWord(text, end, least);
    if (from === end) return end < sign && text.startsWith(" dot ", end) ? end + 5 : null;
    if (from - 5 < least || text.slice(from - 5, from).toLowerCase() !== " dot ") return from;
    end = from - 5;
  }
}

/** Finds where the characters of a local part that end at a place begin. */
function findWord(text: string, end: number, least: number): number {
  let from = end;
  while (from > least) {
    const isPair = from - 2 >= least && /[\udc00-\udfff]/.test(text.charAt(from - 1));
    const next = isPair ? from - 2 : from - 1;
    if (!LOCAL_CHARACTER.test(text.slice(next, from))) break;
    from = next;
  }
  return from;
}

/** Seven digits or more, with what people write between them. */
const DIGITS =
  /(?<![\p{L}\p{N}])[+＋(]{0,2}\p{Nd}(?:[ \t\u00a0\u2000-\u200a\u202f().\-‐‑‒–—/·]{0,3}\p{Nd}){6,}/gu;
/** Ten digits in groups by commas, as amounts don't have them. */
const GROUPS = /(?<![\p{N},])\d{3},\d{3},\d{4}(?!\p{N})/gu;
const YEAR = "(?:19|20)\\d{2}";
const DAY = "(?:0?[1-9]|[12]\\d|3[01])";
const MONTH = "(?:0?[1-9]|1[0-2])";
const TIME = "(?:[01]?\\d|2[0-4])\\.[0-5]\\d";
/** What is certainly no telephone number: a date, maybe with the hour; years or times from and to. */
const NO_NUMBER = new RegExp(
  `^(?:(?:${YEAR}([-./])${MONTH}\\1${DAY}|${DAY}([-./])${MONTH}\\2${YEAR})(?: \\d{1,2})?|${YEAR} ?[-–—/] ?${YEAR}|${TIME} ?[-–—] ?${TIME})$`,
);
const CURRENCY = /[€$£¥]|\b(?:EUR|USD|GBP|CHF)\b/;

function* findNumbers(text: string): Generator<Masked> {
  for (const { 0: digits, index } of text.matchAll(GROUPS))
    yield { from: index, to: index + digits.length, shown: NUMBER };
  for (const { 0: digits, index } of text.matchAll(DIGITS)) {
    if (NO_NUMBER.test(digits)) continue;
    const end = index + digits.length;
    const isAmount =
      /^\d{1,3}(?:[. \u00a0\u202f]\d{3})+$/.test(digits) &&
      (CURRENCY.test(text.slice(Math.max(0, index - 4), index)) || CURRENCY.test(text.slice(end, end + 4)));
    if (!isAmount) yield { from: index, to: end, shown: NUMBER };
  }
}

/** Names by their words, so that a text is searched for all of them at once. */
interface NameNode {
  /** What is shown for the name that ends here; absent if none does. */
  shown?: string;
  readonly next: Map<string, NameNode>;
}

interface Names {
  /** What is shown for a speaker, by label. */
  readonly labels: ReadonlyMap<string, string>;
  /** What is shown for a name, by its words. */
  readonly whole: ReadonlyMap<string, string>;
  readonly tree: NameNode;
  /** What is shown for a single word of a name, as it is written. */
  readonly parts: ReadonlyMap<string, string>;
}

/** Scripts without spaces between words: each character counts as one. */
const SPACELESS = "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}\\p{Script=Thai}";
const WORD = new RegExp(`[${SPACELESS}]|(?:(?![${SPACELESS}])[\\p{L}\\p{M}\\p{N}])+`, "gu");
/** Maximum characters between two words of a name. */
const GAP = 3;
/** Words in names that don't stand for anybody. */
const NO_PART =
  /^(?:speaker|unknown|unnamed|erased|person|guest|room|dr|mr|mrs|ms|prof|phd|jr|sr|von|van|der|den|del)$/i;

const splitWords = (text: string): string[] => text.match(WORD) ?? [];
const toKey = (name: string): string => splitWords(prepare(name)).join(" ").toLowerCase();

/** Returns a name without what is in parentheses or after a comma. */
const shorten = (name: string): string => prepare(name).split(/[([,|]/)[0] ?? "";

/** Returns a name that a directory wrote as `Doe, John` in the order in which it is said; any other unchanged. */
const reorder = (name: string): string =>
  prepare(name).replace(/^((?:\p{Ll}[^\s,]* )*[^\s,(|]+),([^,(|]+)/u, "$2 $1 ");

/** Returns the words of a name that are masked alone, not titles; those in capitals also as others write them. */
const listParts = (name: string): string[] =>
  splitWords(shorten(name))
    .filter((word) => /^\p{Lu}[\p{L}\p{M}]+$/u.test(word) && !NO_PART.test(word))
    .flatMap((word) =>
      word === word.toUpperCase() ? [word, word.charAt(0) + word.slice(1).toLowerCase()] : [word],
    );

function listNames({ speakers, others }: MaskedPeople): Names {
  const labels = new Map(speakers.map(({ label }, at) => [label, `Speaker ${at + 1}`]));
  const names = new Map<string, Set<string>>();
  const parts = new Map<string, Set<string>>();
  const add = (name: string, shown: string) => {
    const said = reorder(name);
    for (const written of [name, said, shorten(said)]) addTo(names, toKey(written), shown);
    for (const part of listParts(said))
      for (const word of [part, part.toUpperCase()]) addTo(parts, word, shown);
  };
  for (const { label, name, otherNames = [] } of speakers)
    for (const one of [name, ...otherNames]) add(one, labels.get(label) ?? "");
  let persons = 0;
  for (const name of others) if (!names.has(toKey(name))) add(name, `Person ${++persons}`);
  names.delete("");
  const whole = joinLabels(names);
  const tree: NameNode = { next: new Map() };
  for (const [name, shown] of whole) {
    let node = tree;
    for (const word of name.split(" ")) {
      const next = node.next.get(word) ?? { next: new Map() };
      node.next.set(word, next);
      node = next;
    }
    node.shown = shown;
  }
  return { labels, whole, tree, parts: joinLabels(parts) };
}

function addTo(map: Map<string, Set<string>>, key: string, value: string): void {
  const values = map.get(key) ?? new Set();
  map.set(key, values.add(value));
}

/** Joins the labels of people with the same name. */
const joinLabels = (names: ReadonlyMap<string, ReadonlySet<string>>): Map<string, string> =>
  new Map(
    [...names].map(([name, labels]) => [name, labels.size > 3 ? "Somebody" : [...labels].join(" or ")]),
  );

/** Finds names in full, whatever their case, and single words of them as they are written. */
function* findNames(text: string, { tree, parts }: Names): Generator<Masked> {
  const words = [...text.matchAll(WORD)].map(({ 0: word, index }) => ({
    ...{ word, from: index, to: index + word.length },
  }));
  for (let at = 0; at < words.length; at++) {
    const first = words[at];
    if (!first) return;
    let found = { shown: parts.get(first.word), last: at };
    let node: NameNode | undefined = tree;
    for (let next = at; node; next++) {
      const [before, word] = [words[next - 1], words[next]];
      if (!word || (next > at && before && !isGap(text.slice(before.to, word.from)))) break;
      node = node.next.get(word.word.toLowerCase());
      if (node?.shown !== undefined) found = { shown: node.shown, last: next };
    }
    if (found.shown === undefined) continue;
    yield { from: first.from, to: words[found.last]?.to ?? first.to, shown: found.shown };
    at = found.last;
  }
}

/** Returns true for what can be between two words of a name. */
const isGap = (text: string): boolean => text.length <= GAP && !text.includes("\n\n");
