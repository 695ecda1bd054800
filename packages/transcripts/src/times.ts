/** `0:07`, `12:34`, `1:02:03`, `00:00:01.500`, `00:00:01,500`, and the `0:0:3.25` of Teams. */
export const TIME = String.raw`\d{1,4}:\d{1,2}(?::\d{1,2})?(?:[.,]\d{1,9})?`;

/** A time of day with AM or PM. */
const HALF_DAY = String.raw`(?: ?[AaPp]\.?[Mm]\b\.?)`;

/** A time in a transcript's text: an offset from the start, or a time of day. */
export const MARK = `${TIME}${HALF_DAY}?`;

/** A time in the form in which it was written. */
export interface TimeMark {
  /** Null for a time that does not exist, such as `00:75:10`. */
  readonly seconds: number | null;
  /** True with AM or PM. */
  readonly halfDay: boolean;
  /** True with hours, minutes and seconds. */
  readonly full: boolean;
}

/** Parses a time that matches `MARK`: `1:02:03` is 3,723 seconds and `12:34` is 754, but `12:34 PM` is 45,240. */
export function parseMark(mark: string): TimeMark {
  const half = /\d$/.test(mark) ? undefined : /([ap])\.?m\.?$/i.exec(mark)?.[1]?.toLowerCase();
  const parts = (half ? mark.slice(0, mark.search(/ ?[ap]\.?m\.?$/i)) : mark).replace(",", ".").split(":");
  const full = parts.length === 3;
  const numbers = parts.map(Number);
  if (half) return { seconds: toTimeOfDay(numbers, half === "p"), halfDay: true, full };
  const [last = 0, middle = 0] = numbers.toReversed();
  const exists = last < 60 && (!full || middle < 60);
  return { seconds: exists ? sumUp(numbers) : null, halfDay: false, full };
}

const sumUp = (numbers: readonly number[]) =>
  Math.round(numbers.reduce((total, part) => total * 60 + part, 0) * 1000) / 1000;

function toTimeOfDay(
  [hours = 0, minutes = 0, seconds = 0]: readonly number[],
  afternoon: boolean,
): number | null {
  if (hours < 1 || hours > 12 || minutes >= 60 || seconds >= 60) return null;
  return sumUp([(hours % 12) + (afternoon ? 12 : 0), minutes, seconds]);
}

const WHOLE = new RegExp(`^${TIME}$`);

/** Parses seconds written as a time: `01:02:03.5`, or null if it is not one or does not exist. */
export function parseTime(text: string): number | null {
  const trimmed = text.trim();
  return WHOLE.test(trimmed) ? parseMark(trimmed).seconds : null;
}

const DAY = 86_400;
const HOUR = 3_600;

/**
 * Returns true if the times of a transcript are times of day: they have AM or PM, or the first is an hour or more and all
 * are written as `09:58:55`.
 */
export function areTimesOfDay(marks: readonly TimeMark[]): boolean {
  const known = marks.filter(({ seconds }) => seconds !== null);
  const [first] = known;
  if (!first) return false;
  if (known.some(({ halfDay }) => halfDay)) return true;
  return (first.seconds ?? 0) >= HOUR && known.every(({ full, seconds }) => full && (seconds ?? 0) < DAY);
}

/** Converts times of day to seconds since the first one, across midnight. Null stays null. */
export function toSecondsSinceFirst(times: readonly (number | null)[]): (number | null)[] {
  const first = times.find((time) => time !== null) ?? 0;
  return times.map((time) => {
    if (time === null) return null;
    const passed = time - first < -DAY / 2 ? time - first + DAY : time - first;
    // A turn that began before the first one listed.
    return Math.max(0, Math.round(passed * 1000) / 1000);
  });
}
