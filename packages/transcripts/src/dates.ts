/** A date as a file states it: often without a time of day or a time zone. */
export interface StatedDate {
  readonly year: number;
  /** 1 to 12. */
  readonly month: number;
  readonly day: number;
  /** Seconds since midnight; null if only the day is known. */
  readonly seconds: number | null;
  /** IANA name or offset such as `+02:00`; null if the file has none. */
  readonly zone: string | null;
}

/** A date in a text. */
export interface FoundDate extends StatedDate {
  /** The part of the text that states it. */
  readonly matched: string;
}

/** Time zones by the abbreviations that meeting tools write. One with two meanings has the more frequent. */
const ABBREVIATIONS: Readonly<Record<string, string>> = {
  ...{ Z: "UTC", UTC: "UTC", GMT: "UTC", WET: "+00:00", WEST: "+01:00", BST: "+01:00" },
  ...{ CET: "+01:00", CEST: "+02:00", EET: "+02:00", EEST: "+03:00", MSK: "+03:00", SAST: "+02:00" },
  ...{ EST: "-05:00", EDT: "-04:00", CST: "-06:00", CDT: "-05:00", MST: "-07:00", MDT: "-06:00" },
  ...{ PST: "-08:00", PDT: "-07:00", AKST: "-09:00", AKDT: "-08:00", HST: "-10:00", BRT: "-03:00" },
  ...{ ET: "America/New_York", CT: "America/Chicago", MT: "America/Denver", PT: "America/Los_Angeles" },
  ...{ IST: "+05:30", SGT: "+08:00", HKT: "+08:00", JST: "+09:00", KST: "+09:00" },
  ...{ AWST: "+08:00", AEST: "+10:00", AEDT: "+11:00", NZST: "+12:00", NZDT: "+13:00" },
};

const ZONE = String.raw`(?:(?:GMT|UTC)[ ]?[+\-\u2212]\d{1,2}(?::?\d{2})?|[+\-\u2212]\d{2}:?\d{2}|Z|${Object.keys(
  ABBREVIATIONS,
)
  .filter((name) => name !== "Z")
  .join("|")})(?![\p{L}\p{N}])`;
const CLOCK = String.raw`\d{1,2}[:.h]\d{2}(?:[:.]\d{2}(?:[.,]\d{1,9})?)?(?: ?[AaPp]\.?[Mm]\b\.?)?`;
/** A time of day after a date, with a zone. */
const TAIL = String.raw`(?:(?:,| at| um| -| ·| \||T)? ?(?<clock>${CLOCK})(?: ?(?:\((?<inner>${ZONE})\)|(?<zone>${ZONE})))?)?`;

/** Languages whose names of months are known. */
const LANGUAGES = ["en", "de", "fr", "es", "it", "pt", "nl", "sv", "pl"];

let months: Map<string, number> | undefined;

/** Returns the months by their names in lower case, without full stops. */
function getMonths(): Map<string, number> {
  if (months) return months;
  months = new Map([["sept", 9]]);
  for (const language of LANGUAGES) {
    for (const month of ["long", "short"] as const) {
      const format = new Intl.DateTimeFormat(language, { month, day: "numeric", timeZone: "UTC" });
      for (let at = 0; at < 12; at++) {
        const parts = format.formatToParts(Date.UTC(2026, at, 15));
        const name = parts.find(({ type }) => type === "month")?.value ?? "";
        const key = name.toLowerCase().replaceAll(".", "");
        if (/^\p{L}{3,}$/u.test(key) && !months.has(key)) months.set(key, at + 1);
      }
    }
  }
  return months;
}

const WORD = String.raw`\p{L}{3,10}\.?`;

/** Ways in which dates are written. Each begins where no digit or letter precedes. */
const PATTERNS = [
  // 2026-11-05, 2026_11_10 09_28, 20261105-093012, 2026/11/10 09:28 GMT+1, GMT20261105-093012
  String.raw`(?<!\d)(?<before>GMT|UTC)?(?<year>20\d{2})(?<dash>[-_./ ]?)(?<month>\d{2})\k<dash>(?<day>\d{2})(?!\d)(?:(?:[ T_-]|, ?| ?at )(?<hours>\d{2})[-_:.h]?(?<minutes>\d{2})(?:[-_:.]?(?<seconds>\d{2}))?(?!\d)(?:[.,]\d{1,9})?(?<half> ?[AaPp][Mm]\b)?(?: ?(?:\((?<inner>${ZONE})\)|(?<zone>${ZONE})))?)?`,
  // Nov 5, 2026 9:30AM
  String.raw`(?<![\p{L}\p{N}])(?<name>${WORD}) (?<day>\d{1,2})(?:st|nd|rd|th)?,? (?<year>20\d{2})(?!\d)${TAIL}`,
  // 5 November 2026, 09:30; 5. November 2026 um 09:30; 05-Nov-2026
  String.raw`(?<!\d)(?<day>\d{1,2})(?:\.|st|nd|rd|th)?[ -](?:de |of )?(?<name>${WORD})(?: de |,? |-)(?<year>20\d{2})(?!\d)${TAIL}`,
  // 05.11.2026 09:30
  String.raw`(?<!\d)(?<day>\d{1,2})\.(?<month>\d{1,2})\.(?<year>20\d{2})(?!\d)${TAIL}`,
  // 11/05/2026, 9:30 AM: month first unless that is impossible
  String.raw`(?<!\d)(?<either>\d{1,2})/(?<other>\d{1,2})/(?<year>20\d{2})(?!\d)${TAIL}`,
  // 2026年11月5日 9:30
  String.raw`(?<year>20\d{2})\u5E74(?<month>\d{1,2})\u6708(?<day>\d{1,2})\u65E5${TAIL}`,
].map((source) => new RegExp(source, "u"));

/** Maximum length of a text in which a date is looked for, in UTF-16 units. */
const LONGEST = 2_000;

/** Finds the first date that exists in a text. */
export function findDate(text: string): FoundDate | null {
  if (text.length > LONGEST || !/20\d{2}/.test(text)) return null;
  for (const pattern of PATTERNS) {
    const match = pattern.exec(text);
    const date = match?.groups && readGroups(match.groups);
    if (date) return { ...date, matched: match[0] };
  }
  return null;
}

function readGroups(groups: Record<string, string | undefined>): StatedDate | null {
  const { name, either, other } = groups;
  const year = Number(groups.year);
  let [month, day] = [Number(groups.month ?? either), Number(groups.day ?? other)];
  if (either !== undefined && month > 12) [month, day] = [day, month];
  if (name !== undefined) month = getMonths().get(name.toLowerCase().replace(".", "")) ?? 0;
  const date = new Date(Date.UTC(year, month - 1, day));
  if (month < 1 || month > 12 || date.getUTCDate() !== day || day < 1) return null;
  const zone = groups.before ?? groups.zone ?? groups.inner;
  return { year, month, day, seconds: readClock(groups), zone: zone ? toZone(zone) : null };
}

function readClock({
  hours,
  minutes,
  seconds,
  half,
  clock,
}: Record<string, string | undefined>): number | null {
  const text =
    clock ??
    (hours && minutes ? [hours, minutes, ...(seconds ? [seconds] : [])].join(":") + (half ?? "") : null);
  if (text === null) return null;
  const afternoon = /p\.?m/i.test(text);
  const morning = /a\.?m/i.test(text);
  const [hour = 0, minute = 0, second = 0] = (text.match(/\d+/g) ?? []).map(Number);
  if (hour > 23 || minute > 59 || second > 59 || ((afternoon || morning) && (hour < 1 || hour > 12)))
    return null;
  const shifted = afternoon ? (hour % 12) + 12 : morning ? hour % 12 : hour;
  return shifted * 3600 + minute * 60 + second;
}

/** Converts a written time zone to an IANA name or an offset; null if it is neither. */
export function toZone(text: string): string | null {
  const written = text.trim().replaceAll("\u2212", "-");
  const offset = /^(?:GMT|UTC)? ?([+-])(\d{1,2})(?::?(\d{2}))?$/i.exec(written);
  if (offset) {
    const [, sign, hours = "", minutes = "00"] = offset;
    return Number(hours) > 14 || Number(minutes) > 59 ? null : `${sign}${hours.padStart(2, "0")}:${minutes}`;
  }
  const known = ABBREVIATIONS[written.toUpperCase()];
  if (known) return known;
  try {
    return new Intl.DateTimeFormat("en", { timeZone: written }).resolvedOptions().timeZone;
  } catch {
    return null;
  }
}

/** Converts a local time to ISO 8601 in UTC. @param zone as returned by `toZone`, for a date without one */
export function toInstant(date: StatedDate, zone: string): string {
  const { year, month, day, seconds } = date;
  const local = Date.UTC(year, month - 1, day) + (seconds ?? 0) * 1000;
  const known = date.zone ?? zone;
  // The offset at the local time is right except around a change of summer time, where a second look helps.
  const guess = local - readOffset(known, local);
  return new Date(local - readOffset(known, guess)).toISOString();
}

/** Returns the offset of a zone from UTC at an instant, in ms. */
function readOffset(zone: string, at: number): number {
  const fixed = /^([+-])(\d{2}):(\d{2})$/.exec(zone);
  if (fixed) return (fixed[1] === "-" ? -1 : 1) * (Number(fixed[2]) * 60 + Number(fixed[3])) * 60_000;
  if (zone === "UTC") return 0;
  const format = new Intl.DateTimeFormat("en", {
    ...{ timeZone: zone, hourCycle: "h23", year: "numeric", month: "numeric", day: "numeric" },
    ...{ hour: "numeric", minute: "numeric", second: "numeric" },
  });
  const part = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = part;
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(at / 1000) * 1000;
}
