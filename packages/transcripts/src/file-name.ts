import { LIMITS } from "@minutes/contract";
import { findDate, type StatedDate } from "./dates.js";

/** Title and date of a meeting, parsed from a file name or a document's heading. */
export interface TitleAndDate {
  /** Without date, time and words added by services; absent if nothing is left. */
  readonly title?: string;
  readonly date?: StatedDate;
}

/** Words that services add to file names. */
const NOISE =
  /\b(?:meeting[ _-]?recording|meeting[ _-]?transcript|meeting[ _-]?saved[ _-]?closed[ _-]?captions?|closed[ _-]?captions?|audio[ _-]?transcript|audio[ _-]?only|recording|transcript|transcription|captions?|otter[ _.-]?ai|gallery[ _]view|speaker[ _]view|\d{3,4}x\d{3,4})\b/gi;

/** Maximum length of a parsed name in UTF-16 units: twice that of a meeting's title. */
const LONGEST_NAME = 2 * LIMITS.titleMax;

/**
 * Parses title and date from a file name without extension, or from a document's title. A longer text is used as the
 * title.
 */
export function parseTitleAndDate(name: string): TitleAndDate {
  if (name.length > LONGEST_NAME) return { title: name };
  const found = findDate(name);
  const rest = found ? removeDate(name, found.matched) : name;
  const spaced = rest.includes(" ") ? rest.replace(/_+/g, " ") : rest.replace(/[_-]+/g, " ");
  const words = spaced.replace(NOISE, " ").replace(/\s+/g, " ");
  const title = trimPunctuation(words.replace(/\( ?\d* ?\)|\[ ?\]/g, " ").replace(/ +/g, " "));
  if (!found) return title === "" ? {} : { title };
  const { matched: _, ...date } = found;
  return { ...(title === "" ? {} : { title }), date };
}

/** Words that only lead to the date after them: "notes of 2026-11-24". */
const LEADING = /(?<![\p{L}\p{N}])(?:of|on|from|dated|vom|am|du|le|del|dal)[\s_-]*$/iu;

function removeDate(name: string, date: string): string {
  const at = name.indexOf(date);
  return `${name.slice(0, at).replace(LEADING, "")} ${name.slice(at + date.length)}`;
}

const PUNCTUATION = /[\s\-–—_.,]/;

/** Trims whitespace, dashes and full stops. */
function trimPunctuation(text: string): string {
  let [from, to] = [0, text.length];
  while (from < to && PUNCTUATION.test(text.charAt(from))) from++;
  while (from < to && PUNCTUATION.test(text.charAt(to - 1))) to--;
  return text.slice(from, to);
}
