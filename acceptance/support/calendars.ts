/** A weekly event, as a calendar's server writes it. */
interface Weekly {
  readonly title: string;
  /** Start of the first occurrence, in ms. It takes an hour. */
  readonly first: number;
  readonly organizer: { readonly name: string; readonly email: string };
  readonly guest: { readonly name: string; readonly email: string };
}

/** Writes a time in Berlin, such as `20260304T100000`. */
const toBerlin = (time: number) =>
  new Date(time)
    .toLocaleString("sv-SE", { timeZone: "Europe/Berlin" })
    .replace(/[-:]/g, "")
    .replace(" ", "T");

const zone = (name: string, year: number) => [
  ...["BEGIN:VTIMEZONE", `TZID:${name}`],
  ...["BEGIN:STANDARD", `DTSTART:${year}1025T030000`, "TZOFFSETFROM:+0200", "TZOFFSETTO:+0100"],
  ...["RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=10", "END:STANDARD"],
  ...["BEGIN:DAYLIGHT", `DTSTART:${year}0329T020000`, "TZOFFSETFROM:+0100", "TZOFFSETTO:+0200"],
  ...["RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=3", "END:DAYLIGHT"],
  "END:VTIMEZONE",
];

/** Breaks a line of more than 75 characters as RFC 5545 says. */
const fold = (line: string) => line.replace(/.{74}(?=.)/g, "$&\r\n ");

const write = (...lines: string[]) =>
  ["BEGIN:VCALENDAR", "VERSION:2.0", ...lines, "END:VCALENDAR", ""].map(fold).join("\r\n");

/** Calendars with the same weekly event, in the dialects of the servers that people have. */
export const CALENDARS = {
  google: ({ title, first, organizer, guest }: Weekly) =>
    write(
      ...["PRODID:-//Google Inc//Google Calendar 70.9054//EN", "CALSCALE:GREGORIAN", "METHOD:PUBLISH"],
      ...[`X-WR-CALNAME:${organizer.email}`, "X-WR-TIMEZONE:Europe/Berlin", ...zone("Europe/Berlin", 1970)],
      ...["BEGIN:VEVENT", `DTSTART;TZID=Europe/Berlin:${toBerlin(first)}`],
      ...[`DTEND;TZID=Europe/Berlin:${toBerlin(first + 3_600_000)}`, "RRULE:FREQ=WEEKLY"],
      ...["DTSTAMP:20260101T120000Z", `ORGANIZER;CN=${organizer.name}:mailto:${organizer.email}`],
      "UID:3k1v5q7h2n@google.com",
      `ATTENDEE;CUTYPE=INDIVIDUAL;ROLE=REQ-PARTICIPANT;PARTSTAT=ACCEPTED;CN=${organizer.name};X-NUM-GUESTS=0:mailto:${organizer.email}`,
      `ATTENDEE;CUTYPE=INDIVIDUAL;ROLE=REQ-PARTICIPANT;PARTSTAT=NEEDS-ACTION;RSVP=TRUE;CN=${guest.name};X-NUM-GUESTS=0:mailto:${guest.email}`,
      ...["SEQUENCE:0", "STATUS:CONFIRMED", `SUMMARY:${title}`, "TRANSP:OPAQUE", "END:VEVENT"],
    ),
  outlook: ({ title, first, organizer, guest }: Weekly) =>
    write(
      ...["METHOD:PUBLISH", "PRODID:Microsoft Exchange Server 2010", "X-WR-CALNAME:Calendar"],
      ...zone("W. Europe Standard Time", 1601),
      ...["BEGIN:VEVENT", `ORGANIZER;CN=${organizer.name}:MAILTO:${organizer.email}`],
      `ATTENDEE;ROLE=REQ-PARTICIPANT;PARTSTAT=TENTATIVE;RSVP=TRUE;CN=${guest.name}:MAILTO:${guest.email}`,
      ...["RRULE:FREQ=WEEKLY;INTERVAL=1", "UID:040000008200E00074C5B7101A82E00800000000A0B1C2D3"],
      ...[`SUMMARY;LANGUAGE=de-DE:${title}`, `DTSTART;TZID=W. Europe Standard Time:${toBerlin(first)}`],
      `DTEND;TZID=W. Europe Standard Time:${toBerlin(first + 3_600_000)}`,
      ...["CLASS:PUBLIC", "PRIORITY:5", "DTSTAMP:20260101T120000Z", "TRANSP:OPAQUE", "STATUS:CONFIRMED"],
      ...["X-MICROSOFT-CDO-BUSYSTATUS:BUSY", "BEGIN:VALARM", "DESCRIPTION:REMINDER"],
      ...["TRIGGER;RELATED=START:-PT15M", "ACTION:DISPLAY", "END:VALARM", "END:VEVENT"],
    ),
  nextcloud: ({ title, first, organizer, guest }: Weekly) =>
    write(
      ...["CALSCALE:GREGORIAN", "PRODID:-//SabreDAV//SabreDAV//EN", "X-WR-CALNAME:Personal"],
      ...["REFRESH-INTERVAL;VALUE=DURATION:PT4H", "X-PUBLISHED-TTL:PT4H", "BEGIN:VEVENT"],
      ...["CREATED:20260101T120000Z", "DTSTAMP:20260101T120000Z", "LAST-MODIFIED:20260101T120000Z"],
      ...["UID:8a4a6b6e-0f7c-4a53-9d62-0c1f4ef2b7aa", `DTSTART;TZID=Europe/Berlin:${toBerlin(first)}`],
      ...["DURATION:PT1H", "RRULE:FREQ=WEEKLY", "STATUS:CONFIRMED", `SUMMARY:${title}`],
      `ORGANIZER;CN=${organizer.name}:mailto:${organizer.email}`,
      `ATTENDEE;CN=${guest.name};CUTYPE=INDIVIDUAL;PARTSTAT=ACCEPTED;ROLE=REQ-PARTICIPANT;LANGUAGE=en:mailto:${guest.email}`,
      "END:VEVENT",
    ),
} as const;
