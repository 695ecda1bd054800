import { LIMITS } from "@minutes/contract";

/** Title and start of a meeting, parsed from a file name or a document's heading. */
export interface TitleAndStart {
  /** Without date, time and words added by services; absent if nothing is left. */
  readonly title?: string;
  /** ISO 8601, read as UTC unless followed by an offset such as `GMT+1`. */
  readonly startTime?: string;
}

/** `2026-11-05`, `2026_11_10 09_28`, `20261105-093012`, `2026/11/10 09:28 GMT+1`, `GMT20261105-093012`. */
const STAMP =
  /(?<!\d)(?:GMT|UTC)?(20\d{2})([-_./ ]?)(\d{2})\2(\d{2})(?!\d)(?:(?:[ T_-]|at)*(\d{2})[-_:.h]?(\d{2})(?:[-_:.]?(\d{2}))?(?!\d)(?:\.\d{3})?Z?)?(?: ?(?:GMT|UTC)([+-])(\d{1,2})(?::?(\d{2}))?)?(?: ?(?:GMT|UTC|[CEPMW][DES]?S?T)(?![A-Za-z]))?/;

/** Words that services add to file names. */
const NOISE =
  /\b(?:meeting[ _-]?recording|meeting[ _-]?transcript|meeting[ _-]?saved[ _-]?closed[ _-]?captions?|closed[ _-]?captions?|audio[ _-]?transcript|audio[ _-]?only|recording|transcript|transcription|captions?|otter[ _.-]?ai|gallery[ _]view|speaker[ _]view|\d{3,4}x\d{3,4})\b/gi;

/** Maximum length of a parsed name in UTF-16 units: twice that of a meeting's title. */
const LONGEST_NAME = 2 * LIMITS.titleMax;

/**
 * Parses title and start from a file name without extension, or from a document's title. A longer text is used as the
 * title.
 */
export function parseTitleAndStart(name: string): TitleAndStart {
  if (name.length > LONGEST_NAME) return { title: name };
  const stamp = STAMP.exec(name);
  const startTime = stamp ? toInstant(stamp) : undefined;
  const rest = startTime && stamp ? name.replace(stamp[0], " ") : name;
  const spaced = rest.includes(" ") ? rest.replace(/_+/g, " ") : rest.replace(/[_-]+/g, " ");
  const words = spaced.replace(NOISE, " ").replace(/\s+/g, " ");
  const title = trimPunctuation(words.replace(/\( ?\d* ?\)|\[ ?\]/g, " ").replace(/ +/g, " "));
  return { ...(title === "" ? {} : { title }), ...(startTime === undefined ? {} : { startTime }) };
}

const PUNCTUATION = /[\s\-–—_.,]/;

/** Trims whitespace, dashes and full stops. */
function trimPunctuation(text: string): string {
  let [from, to] = [0, text.length];
  while (from < to && PUNCTUATION.test(text.charAt(from))) from++;
  while (from < to && PUNCTUATION.test(text.charAt(to - 1))) to--;
  return text.slice(from, to);
}

function toInstant(stamp: RegExpExecArray): string | undefined {
  const [, year, , month, day, hour = "00", minute = "00", second = "00", sign, hours = "0", minutes = "0"] =
    stamp;
  const date = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}.000Z`);
  if (Number.isNaN(date.getTime()) || date.getUTCDate() !== Number(day)) return undefined;
  const offset = (Number(hours) * 60 + Number(minutes)) * (sign === "-" ? -1 : 1);
  return new Date(date.getTime() - offset * 60_000).toISOString();
}
