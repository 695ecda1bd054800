// Generated from the service's events by `pnpm --filter @minutes/client generate`; edit the contract instead.

/** The body of a delivery: a meeting is completed. */
export interface MeetingCompleted {
  /** The delivery's own data. */
  metadata: DeliveryMetadata;
  /** The meeting. */
  data: CompletedMeeting;
}

/** What tells a delivery from others. */
export interface DeliveryMetadata {
  /** The delivery's id: the same on every attempt. Skip one that was processed already. */
  id: string;
  /** What happened. */
  event: "meeting.completed";
  /** When the delivery was created, in Unix seconds. */
  created: number;
}

/** The user who recorded the meeting. */
export interface Recorder {
  /** ID of the user who recorded the meeting. */
  id: string;
  /** That user's e-mail address. */
  email: string;
}

/** What the meeting was about. */
export interface Summary {
  /** Summary as Markdown; empty while the summary is locked. */
  markdown: string;
  /** Summary as HTML; empty while the summary is locked. */
  html: string;
  /** Brief one-line summary; empty while the summary is locked. */
  short: string;
}

/** One turn of a transcript. */
export interface TranscriptTurn {
  /** Tells speakers apart; the `id` of a participant. */
  speakerId: string;
  /** Display name. */
  speakerName: string;
  /** What was said. */
  text: string;
}

/** Somebody who spoke. */
export interface Participant {
  /** Participant ID. */
  id: string;
  /** Display name. */
  name: string;
  /** E-mail address, if known. */
  email: string | null;
}

/** An action item, as it appears in its meeting. */
export interface MeetingTask {
  /** Task description. */
  content: string;
  /** True once the task is done. */
  completed: boolean;
  /** Who should do it; null if nobody was named. */
  assignee: {
    /** Display name. */
    name: string;
    /** E-mail address, if known. */
    email: string | null;
  } | null;
}

/** A label on the meeting. */
export interface MeetingTag {
  /** The tag's name. */
  name: string;
  /** Hex color of the form `#RRGGBB`. */
  color: string;
}

/** Somebody invited to the calendar event. */
export interface Attendee {
  /** Display name. */
  name: string;
  /** E-mail address that was invited. */
  email: string;
  /** Answer to the invitation, if known. */
  responseStatus: "accepted" | "declined" | "tentative" | "needsAction" | null;
  /** True if this attendee organized the event. */
  organizer: boolean;
}

/** Calendar event data. */
export interface CalendarEvent {
  /** Internal calendar event ID. */
  id: string | null;
  /** Event ID in the calendar provider. */
  externalId: string | null;
  /** Event title; falls back to the meeting title. */
  title: string;
  /** Scheduled start, ISO 8601; falls back to the meeting's start. */
  scheduledTime: string;
  /** Scheduled end, ISO 8601; falls back to the meeting's end. */
  endTime: string | null;
  /** People invited; they may not have spoken or attended. */
  attendees: Attendee[];
}

/** A meeting that was recorded and processed. */
export interface CompletedMeeting {
  /** The meeting's id, for `meetings.get`. */
  id: string;
  /** Meeting title. */
  title: string;
  /** When the meeting started: ISO 8601, UTC, milliseconds. */
  startTime: string;
  /** When the meeting ended: ISO 8601, UTC, milliseconds. */
  endTime: string | null;
  /** Who recorded the meeting. */
  user: Recorder;
  /** What the meeting was about; its texts are empty while it is locked. */
  summary: Summary;
  /** What was said, in order. */
  transcript: TranscriptTurn[];
  /** People who spoke, detected from the transcript. */
  participants: Participant[];
  /** Action items of the meeting. */
  tasks: MeetingTask[];
  /** Labels applied to the meeting. */
  tags: MeetingTag[];
  /** Calendar event data; falls back to meeting data when no event is linked. */
  event: CalendarEvent;
}
