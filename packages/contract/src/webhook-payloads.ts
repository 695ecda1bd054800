import { z } from "zod";
import { InstantOut } from "./instants.js";
import { CalendarEvent, MeetingTag, MeetingTask, Participant, Recorder, Summary } from "./meeting-detail.js";
import type { WebhookEventName } from "./webhooks.js";

const toMetadata = <Name extends WebhookEventName>(event: Name) =>
  z.object({
    id: z
      .string()
      .describe("The delivery's id, the same on every attempt. Skip deliveries that were already processed."),
    event: z.literal(event).describe("What happened."),
    created: z.int().describe("When the delivery was created, in Unix seconds."),
  });

const DeliveryMetadata = toMetadata("meeting.completed").meta({
  id: "DeliveryMetadata",
  description: "Identifies a delivery.",
});

const TranscriptTurn = z
  .object({
    speakerId: z.string().describe("Person ID of the speaker: the `id` of a participant."),
    speakerName: z.string().describe("Display name."),
    text: z.string().describe("What was said."),
  })
  .meta({ id: "TranscriptTurn", description: "One turn of a transcript." });

const CompletedMeeting = z
  .object({
    id: z.string().describe("The meeting's id, for `meetings.get`."),
    title: z.string().describe("Meeting title."),
    startTime: InstantOut.describe("When the meeting started: ISO 8601, UTC, milliseconds."),
    endTime: InstantOut.nullable().describe("When the meeting ended: ISO 8601, UTC, milliseconds."),
    user: Recorder.describe("Who recorded the meeting."),
    summary: Summary.describe("What the meeting was about; its texts are empty while it is locked."),
    transcript: z.array(TranscriptTurn).describe("What was said, in order."),
    participants: z.array(Participant).describe("People who spoke, detected from the transcript."),
    tasks: z.array(MeetingTask).describe("Action items of the meeting."),
    tags: z.array(MeetingTag).describe("Labels applied to the meeting."),
    event: CalendarEvent.describe("Calendar event data; falls back to meeting data when no event is linked."),
  })
  .meta({ id: "CompletedMeeting", description: "A recorded and processed meeting." });

/** The body of a delivery. A locked summary is empty. @see docs/specification.md#events */
export const MeetingCompleted = z
  .object({
    metadata: DeliveryMetadata.describe("Metadata of the delivery."),
    data: CompletedMeeting.describe("The meeting."),
  })
  .meta({ id: "MeetingCompleted", description: "The body of a delivery: a meeting was completed." });
export type MeetingCompleted = z.infer<typeof MeetingCompleted>;

const toPayload = <Name extends WebhookEventName, Data extends z.ZodType>(
  id: string,
  event: Name,
  data: Data,
  description: string,
) =>
  z
    .object({
      metadata: toMetadata(event)
        .meta({ id: `${id}Metadata`, description: "Identifies a delivery." })
        .describe("Metadata of the delivery."),
      data,
    })
    .meta({ id, description: `The body of a delivery: ${description}` });

/** Sent only to webhooks subscribed to it. @see docs/decisions/0166-further-events.md */
export const MeetingUpdated = toPayload(
  "MeetingUpdated",
  "meeting.updated",
  CompletedMeeting.describe("The current meeting."),
  "a meeting's tags changed, its summary was unlocked, or its content was edited or replaced.",
);
export type MeetingUpdated = z.infer<typeof MeetingUpdated>;

const DeletedMeetingData = z
  .object({ id: z.string().describe("The meeting's id.") })
  .meta({ id: "DeletedMeetingData", description: "A deleted meeting." });

/** Sent only to webhooks subscribed to it. Has no content. */
export const MeetingDeleted = toPayload(
  "MeetingDeleted",
  "meeting.deleted",
  DeletedMeetingData.describe("Only the meeting's id."),
  "a meeting was deleted.",
);
export type MeetingDeleted = z.infer<typeof MeetingDeleted>;

/** Sent only to webhooks subscribed to it. */
export const MeetingShared = toPayload(
  "MeetingShared",
  "meeting.shared",
  CompletedMeeting.describe("The current meeting."),
  "a meeting was shared with a member, directly or by a tag.",
);
export type MeetingShared = z.infer<typeof MeetingShared>;

const UpdatedTasks = z
  .object({
    id: z.string().describe("The meeting's id."),
    tasks: z
      .array(
        MeetingTask.extend({ id: z.string().describe("The task's id, for `tasks.update`.") }).meta({
          id: "ChangedTask",
          description: "A changed action item.",
        }),
      )
      .describe("The changed tasks in their current state."),
  })
  .meta({ id: "UpdatedTasks", description: "Changed tasks of one meeting." });

/** Sent only to webhooks subscribed to it. */
export const TaskUpdated = toPayload(
  "TaskUpdated",
  "task.updated",
  UpdatedTasks.describe("The meeting's id and the changed tasks."),
  "the state, text, assignee or due date of tasks changed. For added and deleted tasks, subscribe to `meeting.updated`.",
);
export type TaskUpdated = z.infer<typeof TaskUpdated>;

const FailedRecordingData = z
  .object({
    id: z
      .string()
      .describe(
        "The recording's id: the `meetingId` returned by `recordings.start`, or the ID of an upload of audio.",
      ),
    externalId: z.string().nullable().describe("The recorder's own id, if it sent one."),
    userId: z.string().describe("ID of the user who recorded."),
  })
  .meta({ id: "FailedRecordingData", description: "A recording that did not become a meeting." });

/** Sent only to webhooks subscribed to it. Has no content and omits the recorder's reason. */
export const RecordingFailed = toPayload(
  "RecordingFailed",
  "recording.failed",
  FailedRecordingData.describe("The recording."),
  "a recording failed.",
);
export type RecordingFailed = z.infer<typeof RecordingFailed>;

/** The body of a delivery, by event. */
export const WEBHOOK_PAYLOADS = {
  "meeting.completed": MeetingCompleted,
  "meeting.updated": MeetingUpdated,
  "meeting.deleted": MeetingDeleted,
  "meeting.shared": MeetingShared,
  "task.updated": TaskUpdated,
  "recording.failed": RecordingFailed,
} as const satisfies Record<WebhookEventName, z.ZodType>;
