import { Email } from "@minutes/contract";
import type { IcsEvent } from "ts-ics";
import { toLine } from "./to-line.js";

/** Somebody invited to an event. */
export interface FeedAttendee {
  readonly name: string;
  readonly email: string;
  readonly responseStatus: "accepted" | "declined" | "tentative" | "needsAction" | null;
  readonly organizer: boolean;
}

const STATUSES: Readonly<Record<string, FeedAttendee["responseStatus"]>> = {
  ACCEPTED: "accepted",
  DECLINED: "declined",
  TENTATIVE: "tentative",
  "NEEDS-ACTION": "needsAction",
};
const NAME_MAX = 200;
const EMAIL_MAX = 254;

/** Reads the people invited to an event, with its organizer, each once. Rooms and things are left out. */
export function readAttendees({ attendees = [], organizer }: IcsEvent, max: number): FeedAttendee[] {
  const people = new Map<string, FeedAttendee>();
  const organizerEmail = readEmail(organizer?.email);
  for (const attendee of attendees) {
    if (people.size >= max) break;
    const type = attendee.cutype?.toUpperCase();
    const email = readEmail(attendee.email);
    if (email === null || type === "ROOM" || type === "RESOURCE" || people.has(email)) continue;
    people.set(email, {
      email,
      name: toLine(attendee.name, NAME_MAX) || email,
      responseStatus: STATUSES[attendee.partstat?.toUpperCase() ?? ""] ?? null,
      organizer: email === organizerEmail,
    });
  }
  if (organizer && organizerEmail !== null && people.size < max && !people.has(organizerEmail)) {
    const name = toLine(organizer.name, NAME_MAX) || organizerEmail;
    people.set(organizerEmail, { name, email: organizerEmail, responseStatus: null, organizer: true });
  }
  return [...people.values()];
}

/** Reads an address that a recorder could send, too; null if it is none. */
const readEmail = (value: string | undefined): string | null =>
  Email.safeParse(toLine(value, EMAIL_MAX + 10).replace(/^mailto:/i, "")).data ?? null;
