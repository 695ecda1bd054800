import { createHash } from "node:crypto";
import type { CalendarFault } from "@minutes/contract";
import { convertIcsEvent, type IcsDateObject, type IcsEvent } from "ts-ics";
import { type FeedAttendee, readAttendees } from "./attendees.js";
import { toLine } from "./to-line.js";
import { listOccurrences, readWall, readZones, skipTo, toRule, type Zones } from "./zones.js";

/** A calendar to parse, and which of its events to keep. */
export interface FeedQuestion {
  readonly text: string;
  /** The present, and the first and last instant kept, in ms. */
  readonly now: number;
  readonly from: number;
  readonly to: number;
  /** Maximum number of events, those next to the present, of an event's attendees, and of all attendees. */
  readonly events: number;
  readonly attendees: number;
  readonly allAttendees: number;
}

/** An event, or an occurrence of a series. */
export interface FeedEvent {
  readonly id: string;
  readonly uid: string;
  readonly title: string;
  /** In ms. */
  readonly start: number;
  readonly end: number;
  readonly allDay: boolean;
  readonly attendees: readonly FeedAttendee[];
}

/** The events, or why there are none. */
export type FeedAnswer =
  | { readonly events: FeedEvent[] }
  | { readonly fault: Extract<CalendarFault, "notCalendar" | "tooComplex"> };

/** Maximum components that are read of a calendar: events near the present, series and zones. Takes about a second. */
const COMPONENTS = 10_000;
/** Maximum occurrences that are looked at of a series, and of all. A daily meeting with a count since 1970 has 20,000. */
const LOOKED_AT = { series: 25_000, all: 100_000 };
/** How far a local time can be from the same in UTC, in ms. */
const ZONE_MARGIN = 15 * 3_600_000;
const DAY = 86_400_000;
/** Maximum length of an event in ms, so that none is always near the present. */
const LONGEST = 60 * DAY;
const UID_MAX = 256;
const TITLE_MAX = 1_000;

/**
 * Parses a calendar and expands its series around the present. Bounds what it reads; a rule that matches nothing can still run
 * until the thread's deadline.
 */
export function parseFeed(question: FeedQuestion): FeedAnswer {
  const text = question.text.replace(/^\uFEFF/, "").trim();
  if (!/^BEGIN:VCALENDAR\r?$/im.test(text.slice(0, 20)) || !/^END:VCALENDAR$/im.test(text.slice(-20)))
    return { fault: "notCalendar" };
  const own = /^X-WR-TIMEZONE:(.+?)\r?$/im.exec(text)?.[1];
  const zones = listComponents(text, "VTIMEZONE");
  const near = listComponents(text, "VEVENT").filter((component) => isNear(component, question));
  if (zones.length + near.length > COMPONENTS) return { fault: "tooComplex" };
  const reader: Reader = {
    ...{ question, zones: readZones(zones, own), found: new Map(), facts: new Map(), left: LOOKED_AT.all },
  };
  for (const [uid, events] of groupByUid(near)) readGroup(reader, uid, events);
  return reader.left < 0
    ? { fault: "tooComplex" }
    : { events: pickNearest([...reader.found.values()], question) };
}

/** Returns false for an event that is no series and far from the present: most of a calendar that goes back for years. */
function isNear(component: string, { from, to }: FeedQuestion): boolean {
  const date = /^DTSTART(?:;[^:\r\n]*)?:(\d{4})(\d\d)(\d\d)/im.exec(component);
  if (!date || /^(?:RRULE|RECURRENCE-ID)/im.test(component)) return true;
  const start = Date.UTC(Number(date[1]), Number(date[2]) - 1, Number(date[3]));
  return start > from - LONGEST - 2 * DAY && start < to + 2 * DAY;
}

/** Lists the components of a kind as they were written. */
const listComponents = (text: string, kind: "VEVENT" | "VTIMEZONE"): string[] =>
  text
    .split(new RegExp(`^(?=BEGIN:${kind}\\r?$)`, "im"))
    .slice(1)
    .map((part) => part.slice(0, part.search(new RegExp(`^END:${kind}\\r?$`, "im")) + `END:${kind}`.length));

/** Groups events by their ID: a series with its exceptions, or one event. A malformed one must not hide the others. */
function groupByUid(components: readonly string[]): ReadonlyMap<string, IcsEvent[]> {
  const groups = new Map<string, IcsEvent[]>();
  for (const component of components) {
    const event = parseEvent(component);
    const uid = toLine(event?.uid, UID_MAX);
    if (!event || uid === "") continue;
    const group = groups.get(uid);
    if (group) group.push(event);
    else groups.set(uid, [event]);
  }
  return groups;
}

function parseEvent(component: string): IcsEvent | null {
  try {
    return convertIcsEvent(undefined, component);
  } catch {
    return null;
  }
}

/** Picks the events next to the present, in order. Attendees beyond the maximum of all are left out. */
function pickNearest(found: FeedEvent[], { now, events, allAttendees }: FeedQuestion): FeedEvent[] {
  const near = found.sort((a, b) => Math.abs(a.start - now) - Math.abs(b.start - now)).slice(0, events);
  let room = allAttendees;
  const bounded = near.map((event) => {
    room -= event.attendees.length;
    return room < 0 ? { ...event, attendees: [] } : event;
  });
  return bounded.sort((a, b) => a.start - b.start || (a.id < b.id ? -1 : 1));
}

interface Reader {
  readonly question: FeedQuestion;
  readonly zones: Zones;
  readonly found: Map<string, FeedEvent>;
  /** What the occurrences of each component share. */
  readonly facts: Map<IcsEvent, Facts | null>;
  /** Number of occurrences that can still be looked at; below 0 if there were more. */
  left: number;
}

interface Facts extends Pick<FeedEvent, "title" | "allDay" | "attendees"> {
  readonly start: number;
  /** In ms. */
  readonly length: number;
}

function readGroup(reader: Reader, uid: string, events: readonly IcsEvent[]): void {
  const excepted = new Set<number>();
  for (const event of events) {
    const occurrence = readInstant(reader.zones, event.recurrenceId?.value);
    if (occurrence === null) continue;
    excepted.add(occurrence);
    addEvent(reader, uid, event, occurrence);
  }
  for (const event of events) {
    if (event.recurrenceId) continue;
    if (event.recurrenceRule) expandSeries(reader, uid, event, excepted);
    else addEvent(reader, uid, event, null);
  }
}

/**
 * Keeps an event if it is near the present.
 * @param occurrence the instant at which the series has it; null for an event that is no series
 * @param given when it starts; by default as it says
 */
function addEvent(
  reader: Reader,
  uid: string,
  event: IcsEvent,
  occurrence: number | null,
  given?: number,
): void {
  const { question, found } = reader;
  const facts = readFacts(reader, event);
  if (!facts) return;
  const { start: own, length, ...shown } = facts;
  const start = given ?? own;
  const end = start + length;
  if (end < question.from || start > question.to) return;
  const id = `cev_${createHash("sha256")
    .update(`${uid}\n${occurrence ?? ""}`)
    .digest("base64url")
    .slice(0, 24)}`;
  found.set(id, { id, uid, ...shown, start, end });
}

/**
 * Returns true for an event that was cancelled, that is private, or in which its user is free: a meeting would show it to its
 * readers.
 */
const isLeftOut = (event: IcsEvent): boolean =>
  event.status?.toUpperCase() === "CANCELLED" ||
  ["PRIVATE", "CONFIDENTIAL"].includes(event.class?.toUpperCase() ?? "") ||
  event.timeTransparent?.toUpperCase() === "TRANSPARENT";

/** Reads what all occurrences of an event share, once; null if it is left out, or has no start. */
function readFacts(reader: Reader, event: IcsEvent): Facts | null {
  const known = reader.facts.get(event);
  if (known !== undefined) return known;
  const start = readInstant(reader.zones, event.start);
  const facts =
    start === null || isLeftOut(event)
      ? null
      : {
          ...{ start, length: readLength(reader.zones, event, start), allDay: event.start.type === "DATE" },
          title: toLine(event.summary, TITLE_MAX),
          attendees: readAttendees(event, reader.question.attendees),
        };
  reader.facts.set(event, facts);
  return facts;
}

function readInstant(zones: Zones, time: IcsDateObject | undefined): number | null {
  const local = readWall(time);
  if (!local) return null;
  return local.isDate || local.isUtc ? local.wall : zones.toInstant(local.wall, local.tzid);
}

/** Returns how long an event takes, in ms. */
function readLength(zones: Zones, event: IcsEvent, start: number): number {
  const end = readInstant(zones, event.end ?? undefined);
  const { weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0 } = event.duration ?? {};
  let length = event.start.type === "DATE" ? DAY : 0;
  if (end !== null) length = end - start;
  else if (event.duration)
    length = (((weeks * 7 + days) * 24 + hours) * 60 + minutes) * 60_000 + seconds * 1_000;
  return Math.min(Math.max(length, 0), LONGEST);
}

/** Adds the occurrences of a series around the present, except those that have a component of their own. */
function expandSeries(reader: Reader, uid: string, event: IcsEvent, excepted: ReadonlySet<number>): void {
  const { zones } = reader;
  const start = readWall(event.start);
  if (!start || !event.recurrenceRule || !readFacts(reader, event)) return;
  const { until, ...endless } = event.recurrenceRule;
  const excluded = (event.exceptionDates ?? []).map((time) => ({ time, at: readInstant(zones, time) }));
  const instants = new Set(excluded.map(({ at }) => at));
  const days = new Set(excluded.filter(({ time }) => time.type === "DATE").map(({ at }) => at));
  // Compared here: the library would compare the rule's end, in UTC, with local times.
  const end = until
    ? (readInstant(zones, until) ?? Infinity) + (until.type === "DATE" ? DAY - 1 : 0)
    : Infinity;
  for (const wall of listWalls(reader, endless, start.wall)) {
    const instant = start.isDate || start.isUtc ? wall : zones.toInstant(wall, start.tzid);
    if ((until?.type === "DATE" ? wall : instant) > end) return;
    if (excepted.has(instant) || instants.has(instant) || days.has(wall - (wall % DAY))) continue;
    addEvent(reader, uid, event, instant, instant);
  }
}

/** Lists the occurrences of a rule around the present, in local times; none if it is malformed or too many were looked at. */
function listWalls(reader: Reader, parsed: Parameters<typeof toRule>[0], start: number): number[] {
  if (reader.left < 0) return [];
  const { from, to } = reader.question;
  const earliest = from - LONGEST - ZONE_MARGIN;
  try {
    const rule = toRule(parsed);
    const first = skipTo(rule, start, earliest);
    // One more than can be looked at shows that there are more.
    const most = Math.min(LOOKED_AT.series, reader.left + 1);
    const walls = listOccurrences(rule, new Date(first), to + ZONE_MARGIN, most);
    reader.left -= walls.length;
    return walls.filter((wall) => wall >= earliest);
  } catch {
    return [];
  }
}
