import { z } from "zod";
import { meetingFacts, StartPrecision } from "./import.js";
import { InstantOut } from "./instants.js";
import { LIMITS } from "./limits.js";
import { Attendee } from "./meeting-detail.js";
import { MeetingRef } from "./meetings.js";
import { MESSAGES } from "./messages.js";
import { createRefusal, mutation, NoInput, query, Success } from "./operation.js";
import { boundedText, Id } from "./text.js";

/** Why a calendar could not be read. */
export const CALENDAR_FAULTS = [
  "blocked",
  "connection",
  "status",
  "redirect",
  "tooLarge",
  "notCalendar",
  "tooComplex",
  "key",
] as const;
export type CalendarFault = (typeof CALENDAR_FAULTS)[number];

const FAULT_TEXT =
  "Why it could not be read last time; null if it could. `blocked`: a private address; `connection`: no answer in time; `status`: the server refused, for example because the address was reset; `redirect`: it leads to another address; `tooLarge`, `tooComplex`: more than is read; `notCalendar`: not an iCalendar file; `key`: the installation can't decrypt the address, enter it again.";

/** The calendar that a user subscribed to. Never has the address, which is a secret. */
export const CalendarState = z
  .object({
    available: z.boolean().describe("False if the installation has no key to encrypt addresses."),
    calendar: z
      .object({
        host: z.string().describe("Host of the calendar's address. The rest is never shown again."),
        syncedAt: InstantOut.nullable().describe("When it was last read; null if it wasn't yet."),
        fault: z.enum(CALENDAR_FAULTS).nullable().describe(FAULT_TEXT),
        dueAt: InstantOut.describe("When it is read next."),
        events: z.int().describe("Number of stored events."),
      })
      .nullable()
      .describe("Null if there is none."),
  })
  .meta({ id: "CalendarState", description: "The calendar that a user subscribed to." });
export type CalendarState = z.infer<typeof CalendarState>;

export const UpcomingEvent = z
  .object({
    id: z.string().describe("ID of the event, for `upcoming.prepare`."),
    title: z.string().describe("The event's title; may be empty."),
    startTime: InstantOut.describe("When it starts; for a whole day, midnight UTC."),
    endTime: InstantOut.describe("When it ends."),
    allDay: z.boolean().describe("True if it has days instead of times."),
    attendees: z
      .array(Attendee)
      .describe(`The invited people, the organizer first; at most ${LIMITS.upcomingAttendees}.`),
    attendeesCount: z.int().describe("Number of all invited people."),
  })
  .meta({ id: "UpcomingEvent", description: "An event of the user's calendar." });
export type UpcomingEvent = z.infer<typeof UpcomingEvent>;

const UpcomingEvents = z.object({
  events: z.array(UpcomingEvent).describe("The next events, soonest first."),
  connected: z.boolean().describe("False if no calendar is connected, so that there are no events."),
});

export const Preparation = z
  .object({
    event: UpcomingEvent,
    meetings: z
      .array(
        z.object({
          id: z.string().describe("The meeting's ID."),
          title: z.string().describe("The meeting's title."),
          startTime: InstantOut.describe("When it started."),
          startPrecision: StartPrecision.nullable().describe(meetingFacts.startPrecision.description ?? ""),
          series: z.boolean().describe("True if it was an earlier event of the same series."),
        }),
      )
      .describe(
        `The last meetings of this series or with these people, newest first; at most ${LIMITS.preparedMeetings}.`,
      ),
    tasks: z
      .array(
        z.object({
          id: z.string().describe("The task's ID."),
          text: z.string().describe("Task description, shortened to a line."),
          assignee: z.string().nullable().describe("Name of the assignee; null if there is none."),
          due: z
            .string()
            .nullable()
            .describe("The day by which it should be done, `YYYY-MM-DD`; null for none."),
          meetingId: z.string().describe("ID of its meeting."),
        }),
      )
      .describe(`Open tasks of these meetings, newest first; at most ${LIMITS.preparedTasks}.`),
  })
  .meta({ id: "Preparation", description: "What to know before an event." });
export type Preparation = z.infer<typeof Preparation>;

const OWN = { callers: ["user"], session: true, operator: {} } as const;
const READ = { callers: ["user"], operator: { audit: "calendar.get" } } as const;

export const getCalendar = query("calendar.get", {
  ...OWN,
  input: NoInput,
  output: CalendarState,
  summary: "Get the calendar",
  description:
    "The calendar that the caller subscribed to, and whether it can be read. Its address is never returned.",
  example: {},
  refuses: [],
});

export const setCalendar = mutation("calendar.set", {
  ...OWN,
  input: z.strictObject({
    url: boundedText(1, LIMITS.webhookUrlMax).describe(
      "Secret address of the calendar in iCal format, `https://` or `webcal://`. It is stored encrypted and never shown again.",
    ),
  }),
  output: CalendarState,
  summary: "Subscribe to a calendar",
  description:
    "Subscribes to a calendar by its secret address, instead of the one before. It is read within seconds, then every half hour. Its events fill `event` of the caller's meetings that have none.",
  example: { url: "https://calendar.example.com/basic.ics" },
  refuses: [
    createRefusal(400, MESSAGES.calendarUrlNotHttps),
    createRefusal(400, MESSAGES.calendarUrlRefused),
    createRefusal(412, MESSAGES.calendarNeedsSecretsKey),
  ],
});

export const deleteCalendar = mutation("calendar.delete", {
  ...OWN,
  input: NoInput,
  output: Success,
  summary: "End the subscription to a calendar",
  description: "Deletes the address and all stored events. Meetings keep theirs. Repeating it is a no-op.",
  example: {},
  refuses: [],
});

export const refreshCalendar = mutation("calendar.refresh", {
  ...OWN,
  input: NoInput,
  output: CalendarState,
  summary: "Read the calendar now",
  description:
    "Makes the calendar due, so that it is read within seconds. If the last reading took long, this one waits a minute for each second it took. No-op without a calendar.",
  example: {},
  refuses: [],
});

export const unlinkCalendarEvent = mutation("calendar.unlink", {
  ...OWN,
  operator: { ownerOf: "meetingId" },
  input: MeetingRef,
  output: Success,
  summary: "Unlink a meeting from its calendar event",
  description:
    "Removes the event that the calendar filled, for good; for the meeting's owner. The calendar doesn't fill it again. Repeating it is a no-op.",
  example: { meetingId: "mtg_example" },
  refuses: [
    createRefusal(404, MESSAGES.meetingNotFound),
    createRefusal(403, MESSAGES.noMeetingAccess),
    createRefusal(409, MESSAGES.eventOfRecorder),
  ],
});

export const listUpcoming = query("upcoming.list", {
  ...READ,
  rest: { at: "GET /upcoming", id: "listUpcoming" },
  tool: {
    name: "list_upcoming",
    title: "List upcoming events",
    description: "Lists the next events of the user's calendar, with their ids for prepare_event.",
    list: "events",
  },
  input: z
    .strictObject({
      limit: z.coerce
        .number()
        .int()
        .min(1)
        .max(LIMITS.pageSizeMax)
        .default(20)
        .describe("Maximum number of events."),
    })
    .prefault({}),
  output: UpcomingEvents,
  summary: "List upcoming events",
  description: `The events of the caller's calendar that have not ended, up to ${LIMITS.calendarDaysAhead} days ahead.`,
  example: {},
  refuses: [],
});

export const prepareEvent = query("upcoming.prepare", {
  ...READ,
  rest: { at: "GET /upcoming/{eventId}", id: "prepareEvent" },
  tool: {
    name: "prepare_event",
    title: "Prepare for an event",
    description:
      "Shows what to know before an event of list_upcoming: the last meetings of its series or with its people, and their open tasks. Read meetings with get_meeting.",
    list: "meetings",
  },
  input: z.strictObject({ eventId: Id.describe("The event's `id`.") }),
  output: Preparation,
  summary: "Prepare for an event",
  description:
    "The last meetings of the event's series or with its people that the caller can read, and their open tasks.",
  example: { eventId: "cev_example" },
  refuses: [createRefusal(404, MESSAGES.eventNotFound)],
});
