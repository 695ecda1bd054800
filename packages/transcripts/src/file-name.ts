/** Title and start of a meeting, as a file's name or a document's heading has them. */
export interface TitleAndStart {
  /** Without date, time and the words that services add; absent where nothing else is left. */
  readonly title?: string;
  /** ISO 8601. Read as UTC unless an offset such as `GMT+1` follows. */
  readonly startTime?: string;
}

/** `2026-11-05`, `2026_11_10 09_28`, `20261105-093012`, `2026/11/10 09:28 GMT+1`, `GMT20261105-093012`. */
const STAMP =
  /(?<!\d)(?:GMT|UTC)?(20\d{2})([-_./ ]?)(\d{2})\2(\d{2})(?!\d)(?:(?:[ T_-]|at)*(\d{2})[-_:.h]?(\d{2})(?:[-_:.]?(\d{2}))?(?!\d)(?:\.\d{3})?Z?)?(?: ?(?:GMT|UTC)([+-])(\d{1,2})(?::?(\d{2}))?)?(?: ?(?:GMT|UTC|[CEPMW][DES]?S?T)(?![A-Za-z]))?/;

/** Words that services put into the names of their files. */
const NOISE =
  /\b(?:meeting[ _-]?recording|meeting[ _-]?transcript|meeting[ _-]?saved[ _-]?closed[ _-]?captions?|closed[ _-]?captions?|audio[ _-]?transcript|audio[ _-]?only|recording|transcript|transcription|captions?|otter[ _.-]?ai|gallery[ _]view|speaker[ _]view|\d{3,4}x\d{3,4})\b/gi;

/** Reads title and start out of a file's name (without its ending) or out of a document's title. */
export function parseTitle(name: string): TitleAndStart {
  const stamp = STAMP.exec(name);
  const startTime = stamp ? toInstant(stamp) : undefined;
  const rest = startTime && stamp ? name.replace(stamp[0], " ") : name;
  const spaced = rest.includes(" ") ? rest.replace(/_+/g, " ") : rest.replace(/[_-]+/g, " ");
  const title = spaced
    .replace(NOISE, " ")
    .replace(/\(\s*\d*\s*\)|\[\s*\]/g, " ")
    .replace(/\s+/g, " ")
    .replace(/(?: [-–—.,]+)+(?= |$)/g, (dashes, at: number, whole: string) =>
      at + dashes.length >= whole.trimEnd().length ? "" : dashes,
    )
    .replace(/^[\s\-–—_.,]+|[\s\-–—_,.]+$/g, "");
  return { ...(title === "" ? {} : { title }), ...(startTime === undefined ? {} : { startTime }) };
}

function toInstant(stamp: RegExpExecArray): string | undefined {
  const [, year, , month, day, hour = "00", minute = "00", second = "00", sign, hours = "0", minutes = "0"] =
    stamp;
  const date = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}.000Z`);
  if (Number.isNaN(date.getTime()) || date.getUTCDate() !== Number(day)) return undefined;
  const offset = (Number(hours) * 60 + Number(minutes)) * (sign === "-" ? -1 : 1);
  return new Date(date.getTime() - offset * 60_000).toISOString();
}
