import type { MeetingCompleted, WebhookEventName } from "@minutes/contract";
import { type SQL, sql } from "drizzle-orm";
import { meetingJson } from "../../meetings/index.js";

/** Formats a time for the wire. */
const formatInstant = (column: SQL): SQL =>
  sql`to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/**
 * The `data` of a completed meeting's payload as JSON text, for a statement that reads `meetingRows`. The database
 * builds it in the enqueueing statement, within the completing transaction, so the content does not pass through this
 * process.
 * @see docs/specification.md#events
 * @see docs/open-questions.md#q20
 */
export const payloadData: SQL = sql`json_build_object(
  'id', m.id,
  'title', m.title,
  'startTime', ${formatInstant(sql`m.start_time`)},
  'endTime', ${formatInstant(sql`m.end_time`)},
  'user', ${meetingJson.user},
  'summary', ${meetingJson.summary},
  'transcript', ${meetingJson.transcript(sql`'speakerId', p.shown, 'speakerName', p.name, 'text', x.text`)},
  'participants', ${meetingJson.participants},
  'tasks', ${meetingJson.tasks},
  'tags', ${meetingJson.tags},
  'event', json_build_object(
    'id', e.id,
    'externalId', e.external_id,
    'title', coalesce(e.title, m.title),
    'scheduledTime', ${formatInstant(sql`coalesce(e.scheduled_time, m.start_time)`)},
    'endTime', ${formatInstant(sql`coalesce(e.end_time, m.end_time)`)},
    'attendees', ${meetingJson.attendees}))::text`;

/**
 * Builds the `data` of changed tasks as JSON text, for a statement that reads `meetingRows`.
 * @param taskIds a text array
 */
export const toTasksData = (taskIds: SQL): SQL =>
  sql`json_build_object('id', m.id, 'tasks', ${meetingJson.changedTasks(taskIds)})::text`;

/** Returns the body of a delivery, byte for byte the same on every attempt. */
export const toDeliveryBody = (
  deliveryId: string,
  createdSeconds: number,
  data: string,
  event: WebhookEventName = "meeting.completed",
): string =>
  `{"metadata":{"id":"${deliveryId}","event":"${event}","created":${createdSeconds}},"data":${data}}`;

/** The content of a test delivery: a fictional meeting with a value in every field. */
export const SAMPLE_DATA: MeetingCompleted["data"] = {
  id: "mtg_sample",
  title: "Weekly planning (sample)",
  startTime: "2025-01-06T09:00:00.000Z",
  endTime: "2025-01-06T09:25:30.000Z",
  user: { id: "usr_sample", email: "dana@example.com" },
  summary: {
    markdown: "## Decisions\n\n- The release moves to **Thursday**.",
    html: "<h2>Decisions</h2>\n<ul>\n<li>The release moves to <strong>Thursday</strong>.</li>\n</ul>\n",
    short: "The release moves to Thursday.",
  },
  transcript: [
    { speakerId: "per_sample1", speakerName: "Dana", text: "Shall we move the release to Thursday?" },
    { speakerId: "per_sample2", speakerName: "Zoë Müller", text: "Yes – the café tour 🎉 is on Wednesday." },
  ],
  participants: [
    { id: "per_sample1", name: "Dana", email: "dana@example.com" },
    { id: "per_sample2", name: "Zoë Müller", email: null },
  ],
  tasks: [
    {
      content: "Tell the customers about Thursday",
      completed: false,
      assignee: { name: "Dana", email: "dana@example.com" },
    },
    { content: "Book the café", completed: false, assignee: null },
  ],
  tags: [{ name: "Planning", color: "#2563EB" }],
  event: {
    id: "evt_sample",
    externalId: "calendar-sample",
    title: "Weekly planning",
    scheduledTime: "2025-01-06T09:00:00.000Z",
    endTime: "2025-01-06T09:30:00.000Z",
    attendees: [{ name: "Dana", email: "dana@example.com", responseStatus: "accepted", organizer: true }],
  },
};
