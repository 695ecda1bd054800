import { joinLines } from "./transcript.js";

/**
 * Words that begin a remark or a heading and are no first names: `Remember: …`, `Next steps: …`. A label that is one of
 * them is a speaker only if nobody else is, as in a list of questions and answers.
 */
const HEADING = new Set(
  `about action actions actually after agenda although another answer answers anyway attachments attendees background
 basically because before both budget but by case change conclusion context currently date deadline decision decisions
 deadlines default details did does each either else email error etc even every everybody everyone everything example
 exactly exception finally first fifth for fourth from fyi general given goal goals has have having here highlights
 honestly how however https http idea if important indeed info instead invited is issue issues item items its just key
 language later least length let like location maybe meaning meanwhile meeting minutes moreover namely never next none
 not note notes nothing now number of once only option options other our outcome outline overview part participants
 perhaps please plus point points possibly priority problem problems pros cons ps question questions quote ratio reason
 reasons recap recording regarding remark remember reminder result results risk risks same say second should since six 
 solution some something sometimes soon spoiler status step steps still strategy subject suggestion summary takeaways task
 tasks thanks that the their then there therefore these they thing things third this those three time tip title to today
 todo tomorrow topic topics total transcript transcription truth two under until update updates use very version warning
 was we were what whatever when whenever where whether which while who why with without yeah yes yesterday yet your
 aber also achtung antwort aufgabe aufgaben beispiel danke datum dauer ergebnis erinnerung fazit frage fragen heute hinweis
 ja morgen nein notiz problem punkt teilnehmer thema themen wichtig zusammenfassung attention exemple merci oui participants
 question rappel remarque sujet nota ejemplo pregunta respuesta tema gracias importante`.split(/\s+/),
);

/** Words that often begin a remark with a colon, but are names, too: *So Young*, *See Wong*. */
const AMBIGUOUS = new Set(
  "a i q s all fun good great hi last look more new no ok okay one open quick right see so sorry sure tell type up well wrong".split(
    " ",
  ),
);

/** Words before a heading's noun: `My question`, `The plan`. */
const DETERMINER = new Set("a all an any for in my no on or our so some the to your".split(" "));

/** Words inside a lower-case sentence but not inside a name. */
const SENTENCE =
  /(?:^|\s)(?:is|are|was|were|be|been|am|do|does|did|has|have|had|can|could|will|would|should|must|may|might|that|this|these|those|it|its|we|they|he|she|i|you|me|us|them|my|our|your|their|to|for|with|at|on|in|into|from|about|if|not|what|which|who|when|where|why|how|because|but|or|so|then|than|as|just|only|a|an|point)(?=\s|$)/;

/** Particles inside a name: `Anna van der Berg`, `Head of Sales`, `Ana y Luis`. */
const PARTICLE =
  /^(?:[aA]l|af|ap|av|at|bin|bint|da|das|de|del|della|den|der|di|do|dos|du|e|el|ibn|la|las|le|les|los|of|the|and|und|et|ten|ter|van|von|y|zu|zum|zur|&|\||-|–|—|\/|@|\+|·|•|aka|from|via)$/u;

/** Placeholder names that services use for unknown people: `Speaker 1`, `Guest`, `Me` and `Them`. */
const PLACEHOLDER =
  /^(?:unknown(?: speaker| participant)?|speaker|spk|participant|guest|host|moderator|interviewer|interviewee|operator|caller|call-in user|agent|customer|client|user|person|voice|channel|sprecher|intervenant|locuteur|hablante|me|them|you|multiple speakers|all|[qas](?=[ _-]?\d))(?:[ _-]?\d{1,4}| ?[A-Z])?$/iu;

/** Words that end with a full stop inside a name. */
const ABBREVIATED =
  /(?:^|[\s(|,])(?:D[Rr]|J[Rr]|S[Rr]|M[Rr]|M[Rr][Ss]|M[Ss]|Prof|PROF|S[Tt]|Inc|INC|Ltd|LTD|C[Oo]|Corp|CORP|Esq|ESQ|Ph\.?D|M\.?D|Dipl|Ing|Hr|Fr|Frau|Herr|e\.V|\p{Lu}(?:\.-?\p{Lu}){0,5})\.$/u;

/** A telephone number: digits, some hidden, with their usual punctuation. */
const PHONE = /^\+?[\d*(][\d*()./ -]{4,30}[\d*]$/;

const EMAIL = /^[^\s@]{1,64}@[^\s@.]{1,63}(?:\.[^\s@.]{1,63}){1,4}$/;

/** Maximum length of a name in a label, in UTF-16 units and in words. */
const LONGEST_LABEL = 100;
const MOST_WORDS = 10;

/** Returns true for text that could be a speaker's name: a few words, at least one letter, no end of a sentence. */
export function isLabel(text: string): boolean {
  if (text.length === 0 || text.length > LONGEST_LABEL) return false;
  if (isPhone(text)) return true;
  return (
    /\p{L}/u.test(text) &&
    !/[?!;<>{}\u061F]|:\/\/|\*\*|^[-–—•*>#]/u.test(text) &&
    !/[,:]$|^[,.)\]:]/.test(text) &&
    text.split(/\s+/).length <= MOST_WORDS &&
    !endsSentence(text)
  );
}

/** Returns true if a full stop within or at the end of a text ends a sentence. */
function endsSentence(text: string): boolean {
  for (let at = text.search(/[.\u3002\u2026]/); at >= 0; ) {
    if (text[at] !== ".") return true;
    const next = text[at + 1];
    if ((next === undefined || /\s/.test(next)) && !ABBREVIATED.test(text.slice(0, at + 1))) return true;
    const more = text.slice(at + 1).search(/[.\u3002\u2026]/);
    at = more < 0 ? -1 : at + 1 + more;
  }
  return false;
}

/** Returns true for a telephone number with at least five digits. */
const isPhone = (text: string): boolean =>
  PHONE.test(text) &&
  text.replace(/[^\d*]/g, "").length >= 5 &&
  !/^\d{1,4}[-./]\d{1,2}[-./]\d{1,4}$/.test(text);

/** Splits a name into words, ignoring text in brackets. */
const splitIntoWords = (name: string) => name.replace(/\([^()]*\)|\[[^[\]]*\]/g, " ").match(/[^\s,]+/g) ?? [];

/** Returns true for a word that starts with a capital, a digit, an emoji or a letter of a script without case. */
const isCapitalised = (word: string) => /^\P{L}*(?:[\p{Lu}\p{Lt}\p{Lo}\p{Lm}]|$)/u.test(word);

/** How much a text looks like a speaker's name. */
export type Likeness =
  /** Placeholders, telephone numbers, addresses. */
  | "certain"
  /** Several words that are written like a name. */
  | "name"
  /** One word that is written like a name. */
  | "word"
  /** One word that is a name or begins a sentence: `Will`. */
  | "ambiguous"
  /** A few lower-case words. */
  | "lower"
  /** The beginning of a remark, a heading or a sentence. */
  | "speech";

/** Estimates how much a label looks like a name. */
export function rateLabel(label: string): Likeness {
  if (!isLabel(label)) return "speech";
  if (PLACEHOLDER.test(label) || isPhone(label) || EMAIL.test(label)) return "certain";
  const words = splitIntoWords(label);
  const [first = "", ...rest] = words;
  const bare = first.toLowerCase().replace(/[^\p{L}]/gu, "");
  const isHeading = (word: string) => HEADING.has(word.toLowerCase().replace(/[^\p{L}]/gu, ""));
  if (HEADING.has(bare) || (DETERMINER.has(bare) && rest.length > 0 && rest.every(isHeading)))
    return "speech";
  const begins =
    /^\P{L}*[\p{Lu}\p{Lt}\p{Lo}]/u.test(first) || (PARTICLE.test(first) && rest.length > 0) || bare === "";
  const written = begins && rest.every((word) => isCapitalised(word) || PARTICLE.test(word));
  if (written && words.length === 0) return "certain"; // only text in brackets
  if (written && rest.some((word) => /\p{L}|\d/u.test(word))) return "name";
  if (written) return AMBIGUOUS.has(bare) && !/[([|]/.test(label) ? "ambiguous" : "word";
  return words.length <= 3 && !SENTENCE.test(joinLines(words.join(" ").toLowerCase())) ? "lower" : "speech";
}
