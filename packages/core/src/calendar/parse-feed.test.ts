import { describe, expect, test } from "vitest";
import { type FeedEvent, parseFeed } from "./parse-feed.js";

const DAY = 86_400_000;
const NOW = Date.parse("2026-03-25T12:00:00Z");

/** Parses a calendar with the lines of its content. */
const parse = (content: string) =>
  parseFeed({
    ...{ text: wrap(content), now: NOW, from: NOW - 60 * DAY, to: NOW + 31 * DAY },
    ...{ events: 1_000, attendees: 200, allAttendees: 20_000 },
  });
const wrap = (content: string) =>
  `BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:-//Test//EN\n${content.trim()}\nEND:VCALENDAR\n`.replaceAll(
    "\n",
    "\r\n",
  );
const read = (content: string): FeedEvent[] => {
  const answer = parse(content);
  if ("fault" in answer) throw new Error(answer.fault);
  return answer.events;
};
const toTimes = (events: readonly FeedEvent[]) =>
  events.map(({ start }) => new Date(start).toISOString().slice(0, 16));

/** As Google writes a zone. */
const BERLIN = `
BEGIN:VTIMEZONE
TZID:Europe/Berlin
X-LIC-LOCATION:Europe/Berlin
BEGIN:DAYLIGHT
TZOFFSETFROM:+0100
TZOFFSETTO:+0200
TZNAME:GMT+2
DTSTART:19700329T020000
RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU
END:DAYLIGHT
BEGIN:STANDARD
TZOFFSETFROM:+0200
TZOFFSETTO:+0100
TZNAME:GMT+1
DTSTART:19701025T030000
RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU
END:STANDARD
END:VTIMEZONE`;

/** As Outlook writes it. */
const WEST_EUROPE = BERLIN.replaceAll("Europe/Berlin", "W. Europe Standard Time").replaceAll("1970", "1601");

/** A weekly series across the change of clocks on 29 March 2026, with an exception, an excluded and a cancelled occurrence. */
const GOOGLE = `
METHOD:PUBLISH
X-WR-CALNAME:anna@example.com
X-WR-TIMEZONE:Europe/Berlin
${BERLIN.trim()}
BEGIN:VEVENT
DTSTART;TZID=Europe/Berlin:20260304T100000
DTEND;TZID=Europe/Berlin:20260304T104500
RRULE:FREQ=WEEKLY;UNTIL=20260415T080000Z;BYDAY=WE
EXDATE;TZID=Europe/Berlin:20260311T100000
DTSTAMP:20260325T120000Z
ORGANIZER;CN=Anna Berg:mailto:anna@example.com
UID:weekly@google.com
ATTENDEE;CUTYPE=INDIVIDUAL;ROLE=REQ-PARTICIPANT;PARTSTAT=ACCEPTED;CN=Anna B
 erg;X-NUM-GUESTS=0:mailto:Anna@Example.com
ATTENDEE;CUTYPE=INDIVIDUAL;PARTSTAT=NEEDS-ACTION;CN="Cole, Ben":mailto:ben@e
 xample.com
ATTENDEE;CUTYPE=RESOURCE;PARTSTAT=ACCEPTED;CN=Room 4:mailto:c_room@resource.calendar.google.com
STATUS:CONFIRMED
SUMMARY:Weekly\\, with a comm
 a
END:VEVENT
BEGIN:VEVENT
DTSTART;TZID=Europe/Berlin:20260319T153000
DTEND;TZID=Europe/Berlin:20260319T160000
UID:weekly@google.com
RECURRENCE-ID;TZID=Europe/Berlin:20260318T100000
STATUS:CONFIRMED
SUMMARY:Weekly\\, moved
END:VEVENT
BEGIN:VEVENT
DTSTART;TZID=Europe/Berlin:20260325T100000
DTEND;TZID=Europe/Berlin:20260325T104500
UID:weekly@google.com
RECURRENCE-ID;TZID=Europe/Berlin:20260325T100000
STATUS:CANCELLED
SUMMARY:Weekly\\, cancelled
END:VEVENT
BEGIN:VEVENT
DTSTART;VALUE=DATE:20260330
DTEND;VALUE=DATE:20260401
UID:holiday@google.com
STATUS:CONFIRMED
SUMMARY:Holiday
END:VEVENT`;

describe("Google's calendar", () => {
  test("a series follows the clocks, and has its exceptions, its exclusions and its last occurrence", () => {
    const events = read(GOOGLE).filter(({ uid }) => uid === "weekly@google.com");
    expect(toTimes(events)).toEqual([
      "2026-03-04T09:00",
      "2026-03-19T14:30",
      "2026-04-01T08:00",
      "2026-04-08T08:00",
      "2026-04-15T08:00",
    ]);
    expect(events.map(({ title }) => title)).toEqual([
      "Weekly, with a comma",
      "Weekly, moved",
      ...Array(3).fill("Weekly, with a comma"),
    ]);
    expect(new Set(events.map(({ id }) => id)).size).toBe(5);
  });

  test("people have names, addresses, answers and an organizer; rooms are left out", () => {
    expect(read(GOOGLE)[0]?.attendees).toEqual([
      { name: "Anna Berg", email: "anna@example.com", responseStatus: "accepted", organizer: true },
      { name: "Cole, Ben", email: "ben@example.com", responseStatus: "needsAction", organizer: false },
    ]);
  });

  test("days have no times", () => {
    const holiday = read(GOOGLE).find(({ uid }) => uid === "holiday@google.com");
    expect(holiday).toMatchObject({
      ...{ allDay: true, start: Date.parse("2026-03-30T00:00:00Z"), end: Date.parse("2026-04-01T00:00:00Z") },
    });
  });
});

test("Outlook's calendar: its names of zones count as it defines them", () => {
  const events = read(`
${WEST_EUROPE.trim()}
BEGIN:VEVENT
ORGANIZER;CN=Dana Ek:MAILTO:dana@example.com
UID:040000008200E00074C5B7101A82E008
SUMMARY;LANGUAGE=de-DE:Planung
DTSTART;TZID="W. Europe Standard Time":20260330T140000
DTEND;TZID="W. Europe Standard Time":20260330T150000
RRULE:FREQ=DAILY;COUNT=3
EXDATE;TZID=W. Europe Standard Time:20260331T140000
CLASS:PUBLIC
X-MICROSOFT-CDO-BUSYSTATUS:BUSY
END:VEVENT
BEGIN:VEVENT
UID:cancelled
SUMMARY:Abgesagt: Planung
STATUS:CANCELLED
DTSTART;TZID=W. Europe Standard Time:20260330T160000
DTEND;TZID=W. Europe Standard Time:20260330T170000
END:VEVENT`);
  expect(toTimes(events)).toEqual(["2026-03-30T12:00", "2026-04-01T12:00"]);
  expect(events[0]?.attendees).toEqual([
    { name: "Dana Ek", email: "dana@example.com", responseStatus: null, organizer: true },
  ]);
});

test("Nextcloud's calendar: durations, zones that it doesn't define, and events without people", () => {
  const events = read(`
CALSCALE:GREGORIAN
X-WR-CALNAME:Personal
BEGIN:VEVENT
CREATED:20260301T080000Z
UID:8a4a6b6e-1
DTSTART;TZID=America/New_York:20260326T090000
DURATION:PT1H30M
SUMMARY:Call
END:VEVENT
BEGIN:VEVENT
UID:8a4a6b6e-2
DTSTART:20260327T090000Z
DTEND:20260327T093000Z
SUMMARY:
END:VEVENT`);
  expect(toTimes(events)).toEqual(["2026-03-26T13:00", "2026-03-27T09:00"]);
  expect(events[0]).toMatchObject({ end: Date.parse("2026-03-26T14:30:00Z"), attendees: [] });
});

test("a malformed event hides no other", () => {
  const events = read(`
BEGIN:VEVENT
UID:broken
DTSTART:yesterday
RRULE:FREQ=SOMETIMES
END:VEVENT
BEGIN:VEVENT
UID:wrong-rule
DTSTART:20260326T090000Z
RRULE:FREQ=YEARLY;BYYEARDAY=1;BYDAY=MO;BYMONTH=1
END:VEVENT
BEGIN:VEVENT
DTSTART:20260326T090000Z
SUMMARY:without an ID
END:VEVENT
BEGIN:VEVENT
UID:fine
DTSTART:20260326T090000Z
SUMMARY:Fine\u0000 and\u2028one line
END:VEVENT`);
  expect(events.filter(({ uid }) => uid === "fine").map(({ title }) => title)).toEqual(["Fine and one line"]);
});

test("what is no calendar is refused", () => {
  for (const text of [
    "",
    "<html>Sign in</html>",
    "BEGIN:VCARD\r\nEND:VCARD\r\n",
    "BEGIN:VCALENDAR\r\n".repeat(9),
  ])
    expect(parseFeed({ text, now: NOW, from: 0, to: NOW, events: 1, attendees: 1, allAttendees: 1 })).toEqual(
      {
        fault: "notCalendar",
      },
    );
});

test("a series that repeats every second, and one since 1970, keep only the events next to the present", () => {
  const daily = read("BEGIN:VEVENT\nUID:d\nDTSTART:19700101T090000Z\nRRULE:FREQ=DAILY\nEND:VEVENT");
  expect(daily).toHaveLength(91);
  const series = (rule: string, start: string) =>
    `BEGIN:VEVENT\nUID:s\nDTSTART:${start}\nRRULE:FREQ=${rule}\nEND:VEVENT`;
  expect(read(series("SECONDLY", "19700101T000000Z"))).toEqual([]);
  expect(read(series("MINUTELY", "20260325T000000Z"))).toHaveLength(1_000);
});

test("attendees beyond the maximum of an event, and of all, are left out", () => {
  const people = Array.from({ length: 300 }, (_, nth) => `ATTENDEE:mailto:p${nth}@example.com`).join("\n");
  const events = read(
    `BEGIN:VEVENT\nUID:d\nDTSTART:19700101T090000Z\nRRULE:FREQ=HOURLY;INTERVAL=6\n${people}\nEND:VEVENT`,
  );
  expect(events).toHaveLength(0);
  const many = read(
    `BEGIN:VEVENT\nUID:d\nDTSTART:20260101T090000Z\nRRULE:FREQ=HOURLY;INTERVAL=6\n${people}\nEND:VEVENT`,
  );
  expect(many.filter(({ attendees }) => attendees.length === 200)).toHaveLength(100);
  expect(many.filter(({ attendees }) => attendees.length === 0).length).toBeGreaterThan(100);
});

describe("the bounds of a calendar", () => {
  const day = (time: number) => new Date(time).toISOString().slice(0, 10).replaceAll("-", "");
  const repeat = (count: number, start: number, more = "") =>
    Array.from(
      { length: count },
      (_, nth) => `BEGIN:VEVENT\nUID:u${nth}\nDTSTART:${day(start)}T090000Z\n${more}END:VEVENT`,
    ).join("\n");

  test("events far from the present are not counted, nor read", () => {
    expect(read(`${repeat(10_001, NOW - 200 * DAY)}\n${repeat(2, NOW)}`)).toHaveLength(2);
    expect(read(repeat(10_001, NOW + 200 * DAY))).toEqual([]);
  });

  test("too many events near the present, or occurrences of series, are refused", () => {
    expect(parse(repeat(10_001, NOW))).toEqual({ fault: "tooComplex" });
    const rule = "RRULE:FREQ=HOURLY;COUNT=24999\n";
    expect(parse(repeat(5, NOW - 3_000 * DAY, rule))).toEqual({ fault: "tooComplex" });
    expect(parse(repeat(3, NOW - 3_000 * DAY, rule))).toEqual({ events: [] });
  });

  test.each([
    "FREQ=DAILY",
    "FREQ=DAILY;INTERVAL=3",
    "FREQ=WEEKLY;BYDAY=MO,FR",
    "FREQ=WEEKLY;INTERVAL=2;BYDAY=SU,TU;WKST=MO",
    "FREQ=WEEKLY;INTERVAL=3;BYDAY=SU,MO;WKST=SU",
    "FREQ=WEEKLY;INTERVAL=2",
  ])("%s: years that are skipped change nothing", (rule) => {
    const series = (end: string) =>
      read(`BEGIN:VEVENT\nUID:s\nDTSTART:20100603T090000Z\nRRULE:${rule}${end}\nEND:VEVENT`);
    const counted = series(";COUNT=20000");
    expect(counted.length).toBeGreaterThan(4);
    expect(series("")).toEqual(counted);
  });
});
