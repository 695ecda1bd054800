import rrule from "rrule";
import { convertIcsTimezone, generateIcsRecurrenceRule, type IcsDateObject, type IcsTimezone } from "ts-ics";

/** Converts local times of a calendar to instants. */
export interface Zones {
  /** Returns the instant of a local time, both in ms. @param tzid the zone that the calendar names, if any */
  toInstant(wall: number, tzid: string | undefined): number;
}

/** Returns a time in ms as the calendar writes it, as if it were UTC, and its zone; null if it is malformed. */
export function readWall(time: IcsDateObject | undefined) {
  const wall = (time?.local?.date ?? time?.date)?.getTime() ?? Number.NaN;
  if (!time || Number.isNaN(wall)) return null;
  return { wall, tzid: time.local?.timezone, isDate: time.type === "DATE", isUtc: !time.local };
}

/** In ms. */
const QUARTER = 900_000;

/** Returns the offset at a local time, in ms. */
type Offset = (wall: number) => number;

/**
 * Reads the zones of a calendar. A zone that it defines counts as defined, whatever its name: Outlook names them "W. Europe
 * Standard Time". Other names are looked up among the IANA zones. Times in unknown ones are in the calendar's own zone, else in UTC.
 */
export function readZones(definitions: readonly string[], own: string | undefined): Zones {
  const known = new Map<string, Offset | undefined>();
  for (const definition of definitions) {
    const zone = readDefinition(definition);
    if (zone) known.set(zone.id, toOffset(zone));
  }
  const find = (tzid: string): Offset | undefined => {
    if (!known.has(tzid)) known.set(tzid, readIanaZone(tzid));
    return known.get(tzid);
  };
  const fallback = (own === undefined ? undefined : find(own)) ?? (() => 0);
  return {
    toInstant: (wall, tzid) => wall - ((tzid === undefined ? undefined : find(tzid)) ?? fallback)(wall),
  };
}

function readDefinition(definition: string): IcsTimezone | null {
  try {
    return convertIcsTimezone(undefined, definition);
  } catch {
    return null;
  }
}

/** Follows the definition of a zone: the last change before a local time decides. */
function toOffset({ props }: IcsTimezone): Offset {
  const changes = new Map<number, { at: number; offset: number }[]>();
  const inYear = (year: number) => {
    const found = changes.get(year) ?? props.flatMap((prop) => listChanges(prop, year));
    changes.set(year, found);
    return found;
  };
  return (wall) => {
    const year = new Date(wall).getUTCFullYear();
    const past = [...inYear(year - 1), ...inYear(year)].filter(({ at }) => at <= wall);
    const last = past.reduce((best, one) => (one.at > best.at ? one : best), {
      at: -Infinity,
      offset: Number.NaN,
    });
    return Number.isNaN(last.offset) ? parseOffset(props[0]?.offsetTo) : last.offset;
  };
}

type Change = IcsTimezone["props"][number];

/** Lists the changes of a zone in a year. One without a rule counts from then on. */
function listChanges({ start, offsetTo, recurrenceRule }: Change, year: number) {
  const offset = parseOffset(offsetTo);
  if (!recurrenceRule) return start.getUTCFullYear() <= year ? [{ at: start.getTime(), offset }] : [];
  const until = recurrenceRule.until?.date.getTime() ?? Infinity;
  const { until: _, count: _count, ...yearly } = recurrenceRule;
  // Started a year earlier: a definition that began in 1601 would take a thousand steps.
  const dtstart = new Date(start);
  dtstart.setUTCFullYear(Math.max(start.getUTCFullYear(), year - 1));
  return listOccurrences(toRule(yearly), dtstart, Date.UTC(year + 1, 0), 10)
    .filter((at) => new Date(at).getUTCFullYear() === year && at <= until)
    .map((at) => ({ at, offset }));
}

const parseOffset = (text = "+0000"): number => {
  const [, sign, hours = "0", minutes = "0"] = /^([+-])(\d{2})(\d{2})/.exec(text) ?? [];
  return (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
};

/** A rule as the library takes it. */
export type Rule = ReturnType<typeof toRule>;

/** Converts a parsed rule. @throws if it is malformed */
export const toRule = (parsed: Parameters<typeof generateIcsRecurrenceRule>[0]) =>
  rrule.RRule.parseString(
    generateIcsRecurrenceRule(parsed)
      .trim()
      .replace(/^RRULE:/, ""),
  );

/** Length of the steps that can be skipped, in ms. */
const STEPS = new Map([
  [rrule.RRule.DAILY, 86_400_000],
  [rrule.RRule.WEEKLY, 7 * 86_400_000],
]);

/**
 * Returns when a daily or weekly rule can start, whole steps later, to have the same occurrences from a time on: one that
 * began decades ago would take thousands of steps.
 */
export function skipTo({ freq, interval, count }: Rule, start: number, earliest: number): number {
  const step = (STEPS.get(freq as number) ?? 0) * (interval ?? 1);
  if (!(step > 0) || count != null || start >= earliest) return start;
  return start + Math.floor((earliest - start) / step) * step;
}

/** Lists the first occurrences of a rule until a time, in local times. @param most how many are looked at */
export function listOccurrences(rule: Rule, dtstart: Date, to: number, most: number): number[] {
  const found: number[] = [];
  new rrule.RRule({ ...rule, dtstart }, true).all((date) => {
    if (date.getTime() > to || found.length >= most) return false;
    found.push(date.getTime());
    return true;
  });
  return found;
}

/** Reads a zone such as `Europe/Berlin` from the runtime's data. */
function readIanaZone(name: string): Offset | undefined {
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat("en", { timeZone: name, timeZoneName: "longOffset" });
  } catch {
    return undefined;
  }
  const offsets = new Map<number, number>();
  const offsetAt = (time: number): number => {
    // Zones change at quarters of an hour.
    const instant = Math.floor(time / QUARTER) * QUARTER;
    const known = offsets.get(instant);
    if (known !== undefined) return known;
    const text = format.formatToParts(instant).find(({ type }) => type === "timeZoneName")?.value ?? "";
    const offset = parseOffset(text.replace("GMT", "").replace(":", "") || undefined);
    offsets.set(instant, offset);
    return offset;
  };
  // The offset before a change is right for times near it, unless the second look says otherwise.
  return (wall) => offsetAt(wall - offsetAt(wall));
}
