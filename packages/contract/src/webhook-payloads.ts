import { z } from "zod";
import { InstantOut } from "./instants.js";
import { CalendarEvent, MeetingTag, MeetingTask, Participant, Recorder, Summary } from "./meeting-detail.js";
import type { WebhookEventName } from "./webhooks.js";

const toMetadata = <Name extends WebhookEventName>(event: Name) =>
  z.object({
    id: z
      .string()
      .describe("The delivery's id: the same on every attempt. Skip one that was processed already."),
    event: z.literal(event).describe("What happened."),
    created: z.int().describe("When the delivery was created, in Unix seconds."),
  });

const DeliveryMetadata = toMetadata("meeting.completed").meta({
  id: "DeliveryMetadata",
  description: "What tells a delivery from others.",
});

const TranscriptTurn = z
  .object({
    speakerId: z.string().describe("Tells speakers apart; the `id` of a participant."),
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
  .meta({ id: "CompletedMeeting", description: "A meeting that was recorded and processed." });

/** The body of a delivery. A locked summary is empty. @see docs/specification.md#events */
export const MeetingCompleted = z
  .object({
    metadata: DeliveryMetadata.describe("The delivery's own data."),
    data: CompletedMeeting.describe("The meeting."),
  })
  .meta({ id: "MeetingCompleted", description: "The body of a delivery: a meeting is completed." });
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
        .meta({ id: `${id}Metadata`, description: "What tells a delivery from others." })
        .describe("The delivery's own data."),
      data,
    })
    .meta({ id, description: `The body of a delivery: ${description}` });

/** Sent only to webhooks that chose it. @see docs/decisions/0166-events-after-completion.md */
export const MeetingUpdated = toPayload(
  "MeetingUpdated",
  "meeting.updated",
  CompletedMeeting.describe("The meeting as it is now."),
  "the tags of a meeting changed, or its summary was unlocked.",
);
export type MeetingUpdated = z.infer<typeof MeetingUpdated>;

const DeletedMeetingData = z
  .object({ id: z.string().describe("The meeting's id.") })
  .meta({ id: "DeletedMeetingData", description: "What is left of a deleted meeting." });

/** Sent only to webhooks that chose it. It has no content. */
export const MeetingDeleted = toPayload(
  "MeetingDeleted",
  "meeting.deleted",
  DeletedMeetingData.describe("The meeting's id alone."),
  "a meeting is deleted.",
);
export type MeetingDeleted = z.infer<typeof MeetingDeleted>;

/** Sent only to webhooks that chose it. */
export const MeetingShared = toPayload(
  "MeetingShared",
  "meeting.shared",
  CompletedMeeting.describe("The meeting as it is now."),
  "a meeting is shared with a member, directly or by a tag.",
);
export type MeetingShared = z.infer<typeof MeetingShared>;

const UpdatedTasks = z
  .object({
    id: z.string().describe("The meeting's id."),
    tasks: z
      .array(
        MeetingTask.extend({ id: z.string().describe("The task's id, for `tasks.update`.") }).meta({
          id: "ChangedTask",
          description: "An action item that changed.",
        }),
      )
      .describe("The tasks that changed, as they are now."),
  })
  .meta({ id: "UpdatedTasks", description: "Tasks of one meeting that changed." });

/** Sent only to webhooks that chose it. */
export const TaskUpdated = toPayload(
  "TaskUpdated",
  "task.updated",
  UpdatedTasks.describe("The meeting's id and the tasks that changed."),
  "tasks of a meeting changed.",
);
export type TaskUpdated = z.infer<typeof TaskUpdated>;

const FailedRecordingData = z
  .object({
    id: z.string().describe("The recording's id: what `recordings.start` answered with as `meetingId`."),
    externalId: z.string().nullable().describe("The recorder's own id for it, if it gave one."),
    userId: z.string().describe("ID of the user who recorded."),
  })
  .meta({ id: "FailedRecordingData", description: "A recording that did not become a meeting." });

/** Sent only to webhooks that chose it. It has no content, and not the recorder's reason. */
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
