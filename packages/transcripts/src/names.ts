/** Words that begin a sentence or heading but not a name: `The plan: …`, `Next steps: …`, `So: …`. */
const NOT_A_NAME = new Set(
  `a about action actions actually after agenda all also although always an and another answer any anyway are as at
  background basically because before big both budget but by call case change conclusion context currently date deadline
  decision decisions deadlines default did do does done each either else email error etc even every everything example
  exactly finally first fifth for fourth from fun fyi general given goal goals good great has have having he her here hi
  his honestly how however idea if important in indeed info instead is issue issues it item items its just key last later
  least let like link list look main many maybe meaning meanwhile mind more most my name namely never new next no none
  not note notes nothing now number of ok okay on once one only open option options or other our outcome over part
  perhaps plan please plus point points possibly priority problem problems pros cons ps question questions quick quote
  reason reasons recap regarding remember reminder result results right risk risks same say second see she should since
  six so solution some something sometimes soon sorry spoiler status step steps still story strategy suggestion summary
  sure task tasks thanks that the their then there therefore these they thing things third this those three tip title to
  today todo tomorrow too topic topics total transcript transcription truth two type under until update updates us use very warning was we well
  were what whatever when whenever where whether which while who why will with without wrong yeah yes yesterday yet you
  your`.split(/\s+/),
);

/** Particles inside a name: `Anna van der Berg`, `Head of Sales`, `Ana y Luis`. */
const PARTICLE =
  /^(?:al|af|av|bin|bint|da|das|de|del|della|den|der|di|do|dos|du|e|el|ibn|la|las|le|los|of|the|ten|ter|und|van|von|y|zu|zur)$/u;

/** Placeholder names that services use for unknown people: `Speaker 1`, `Guest`, `Me` and `Them`. */
const PLACEHOLDER =
  /^(?:unknown(?: speaker)?|speaker|participant|guest|host|moderator|interviewer|interviewee|operator|caller|agent|customer|me|them|you|i|q|a)(?:[ _-]?\d{1,3}| ?[A-Z])?$/iu;

/** Maximum length of a name in a label, in UTF-16 units and in words. */
const LONGEST = 100;
const MOST_WORDS = 8;

/** Returns true for text that could be a speaker's name: a few words, at least one letter, no end of a sentence. */
export function isLabel(text: string): boolean {
  return (
    text.length <= LONGEST &&
    /\p{L}/u.test(text) &&
    !/[.?!,;:]$/.test(text.replace(/\b(?:Dr|Jr|Sr|Mr|Mrs|Ms|Prof|[A-Z])\.$/, "")) &&
    !/[?!;:*<>[\]{}|]|\.\s+\p{Ll}|\/\//u.test(text) &&
    text.split(/\s+/).length <= MOST_WORDS
  );
}

/** Splits a name into words, ignoring text in parentheses. */
export const splitIntoWords = (name: string) => name.replace(/\([^()]*\)/g, "").match(/[^\s,]+/g) ?? [];

/** Returns true for a word that starts with a capital, or with a letter of a script without case. */
const isCapitalised = (word: string) => /^[\p{P}]*[\p{Lu}\p{Lt}\p{Lo}\p{N}]/u.test(word);

/** Returns true for a label that is capitalized like a name and doesn't begin like a sentence. */
export function isName(text: string): boolean {
  if (!isLabel(text)) return false;
  if (PLACEHOLDER.test(text)) return true;
  const [first = "", ...rest] = splitIntoWords(text);
  if (NOT_A_NAME.has(first.toLowerCase().replace(/[^\p{L}]/gu, ""))) return false;
  if (!/^\P{L}*[\p{Lu}\p{Lt}\p{Lo}]/u.test(first) && !(PARTICLE.test(first) && rest.length > 0)) return false;
  return rest.every((word) => isCapitalised(word) || PARTICLE.test(word));
}

/**
 * Selects the speakers among the labels of `label: text` lines. Labels capitalized like a name are speakers; lower-case
 * ones must recur. A single word that occurs once among names of several words (`Remember: …`) is speech.
 * @param labels in file order, with repetitions
 */
export function chooseSpeakers(labels: readonly string[]): Set<string> {
  const counts = new Map<string, number>();
  for (const label of labels) counts.set(label, (counts.get(label) ?? 0) + 1);
  const speakers = new Set<string>();
  for (const [label, count] of counts) if (isName(label) || isRecurring(label, count)) speakers.add(label);
  const several = [...speakers].filter((name) => splitIntoWords(name).length > 1);
  const [first] = speakers;
  if (several.length * 2 <= speakers.size) return speakers;
  return new Set(
    [...speakers].filter(
      (name) =>
        name === first ||
        splitIntoWords(name).length > 1 ||
        PLACEHOLDER.test(name) ||
        (counts.get(name) ?? 0) > 1,
    ),
  );
}

function isRecurring(label: string, count: number): boolean {
  const [first = "", ...rest] = splitIntoWords(label);
  return count > 1 && rest.length < 3 && isLabel(label) && !NOT_A_NAME.has(first.toLowerCase());
}
