// Generated from the service's routers by `pnpm --filter @minutes/client generate`; edit those instead.
import type {
  TRPCBuiltRouter,
  TRPCDefaultErrorShape,
  TRPCMutationProcedure,
  TRPCQueryProcedure,
} from "@trpc/server";

/** Settings that all routers share; what happens on the server stays there. */
interface RouterTypes {
  ctx: object;
  meta: object;
  errorShape: TRPCDefaultErrorShape;
  transformer: true;
}

/** Parameters of `me/meetings.list`. */
export interface ListMyMeetings {
  /** How many items to return, 1 to 100; 50 when absent. */
  limit?: number | undefined;
  /** `nextCursor` of the page before; opaque. */
  cursor?: string | undefined;
  /** Only meetings that start on or after this ISO 8601 date (UTC) or instant. */
  startDate?: string | undefined;
  /** Only meetings that start on or before this ISO 8601 date (UTC) or instant. */
  endDate?: string | undefined;
  /** Only meetings that bear this tag of the caller's own, or one shared with the caller. Exact name. */
  tag?: string | undefined;
}

/** One page of meetings. */
export interface MeetingPage {
  /** The meetings of this page, newest start first. */
  meetings: MeetingListItem[];
  /** Pass as `cursor` for the next page; null on the last one. */
  nextCursor: string | null;
}

/** A meeting, as it appears in lists. */
export interface MeetingListItem {
  /** Unique meeting ID. */
  id: string;
  /** Meeting title. */
  title: string;
  /** Machine-generated title. */
  generatedTitle: string | null;
  /** When the meeting started: ISO 8601, UTC, milliseconds. */
  startTime: string;
  /** When the meeting ended: ISO 8601, UTC, milliseconds. */
  endTime: string | null;
  /** Linked calendar event ID. */
  calendarEventId: string | null;
  /** ID of the user who recorded the meeting. */
  userId: string;
}

/**
 * Parameters of `me/meetings.get`, `me/meetings.delete`, `workspace/meetings.get`,
 * `workspace/meetings.delete`.
 */
export interface MeetingRef {
  /** The meeting's `id`. */
  meetingId: string;
}

/** A meeting with everything that is known of it. */
export interface MeetingDetail {
  /** Unique meeting ID. */
  id: string;
  /** Meeting title. */
  title: string;
  /** Machine-generated title. */
  generatedTitle: string | null;
  /** When the meeting started: ISO 8601, UTC, milliseconds. */
  startTime: string;
  /** When the meeting ended: ISO 8601, UTC, milliseconds. */
  endTime: string | null;
  /** Who recorded the meeting. */
  user: Recorder;
  /** What the meeting was about; its texts are empty while it is locked. */
  summary: Summary;
  /** Whole transcript as Markdown: each speaker's name bold, then what was said. */
  transcript: string;
  /** People who spoke, detected from the transcript. */
  participants: Participant[];
  /** Action items of the meeting. */
  tasks: MeetingTask[];
  /** Labels applied to the meeting. */
  tags: MeetingTag[];
  /** Calendar event data; falls back to meeting data when no event is linked. */
  event: CalendarEvent;
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

/** The receipt of a deletion. */
export interface DeletedMeeting {
  /** True: the meeting is gone. */
  success: boolean;
  /** The same in words. */
  message: string;
  /** ID of the meeting that was deleted. */
  deletedMeetingId: string;
}

/** Parameters of `me/meetings.search`. */
export interface SearchMeetings {
  /** What to look for, 1 to 1,000 characters after trimming. */
  query: string;
  /** Only meetings that start on or after this ISO 8601 date (UTC) or instant. */
  startDate?: string | undefined;
  /** Only meetings that start on or before this ISO 8601 date (UTC) or instant. */
  endDate?: string | undefined;
}

/** What a search found. */
export interface SearchResults {
  /** Up to 40 matches, most relevant first. */
  results: SearchChunk[];
}

/** An excerpt that matches, with its source. */
export interface SearchChunk {
  /** Unique chunk ID. */
  id: string;
  /** Matching excerpt. */
  text: string;
  /** Source meeting's `id`. */
  meetingId: string;
  /** Source meeting's title. */
  meetingTitle: string | null;
  /** Day of the meeting (UTC), `YYYY-MM-DD`. */
  meetingDate: string;
}

/** Parameters of `me/tasks.list`. */
export interface ListMyTasks {
  /** How many items to return, 1 to 100; 50 when absent. */
  limit?: number | undefined;
  /** `nextCursor` of the page before; opaque. */
  cursor?: string | undefined;
  /** Only tasks created on or after this ISO 8601 date (UTC) or instant. */
  startDate?: string | undefined;
  /** Only tasks created on or before this ISO 8601 date (UTC) or instant. */
  endDate?: string | undefined;
  /** Only completed tasks, or only open ones. */
  completed?: boolean | undefined;
  /** Only tasks extracted from this meeting. */
  meetingId?: string | undefined;
}

/** One page of tasks. */
export interface TaskPage {
  /** The tasks of this page, newest first. */
  tasks: TaskListItem[];
  /** Pass as `cursor` for the next page; null on the last one. */
  nextCursor: string | null;
}

/** A task, as it appears in lists. */
export interface TaskListItem {
  /** Unique task ID. */
  id: string;
  /** Task description. */
  text: string;
  /** True once the task is done. */
  completed: boolean;
  /** Who should do it; null if nobody was named. */
  assignee: {
    /** Person ID, if the assignee is known to the service. */
    id: string | null;
    /** Display name. */
    name: string;
    /** E-mail address, if known. */
    email: string | null;
  } | null;
  /** Meeting the task was extracted from. */
  meetingId: string;
  /** That meeting's title. */
  meetingTitle: string | null;
  /** When the task was created: ISO 8601, UTC, milliseconds. */
  createdAt: string;
  /** ID of the user who recorded the meeting. */
  userId: string;
}

/** Parameters of `me/tasks.update`, `workspace/tasks.update`. */
export interface UpdateTask {
  /** A task's `id`, from `tasks.list`. */
  taskId: string;
  /** True completes the task; false reopens it. */
  completed?: boolean | undefined;
  /** 1 to 10,000 characters after trimming. */
  text?: string | undefined;
}

/** The task's `id` and exactly the fields that were supplied. */
export interface UpdatedTask {
  /** The task's `id`. */
  taskId: string;
  /** The new text, trimmed; absent if it was not sent. */
  text?: string | undefined;
  /** The new state; absent if it was not sent. */
  completed?: boolean | undefined;
}

/** Parameters of `me/tags.list`. */
export type NoInput = Record<string, never>;

/** All tags of the caller. */
export interface TagList {
  /** Own tags and tags shared with the caller. */
  tags: Tag[];
}

/** A label that the caller owns or was shown. */
export interface Tag {
  /** Unique tag ID. */
  id: string;
  /** The tag's name, as `tag` of `meetings.list` takes it. */
  name: string;
  /** True if another user shared the tag with the caller; false if the caller owns it. */
  shared: boolean;
}

/** Parameters of `workspace/meetings.list`. */
export interface ListWorkspaceMeetings {
  /** How many items to return, 1 to 100; 50 when absent. */
  limit?: number | undefined;
  /** `nextCursor` of the page before; opaque. */
  cursor?: string | undefined;
  /** Only meetings that start on or after this ISO 8601 date (UTC) or instant. */
  startDate?: string | undefined;
  /** Only meetings that start on or before this ISO 8601 date (UTC) or instant. */
  endDate?: string | undefined;
  /** Only meetings recorded by the member with this e-mail address. */
  userEmail?: string | undefined;
}

/** Parameters of `workspace/tasks.list`. */
export interface ListWorkspaceTasks {
  /** How many items to return, 1 to 100; 50 when absent. */
  limit?: number | undefined;
  /** `nextCursor` of the page before; opaque. */
  cursor?: string | undefined;
  /** Only tasks created on or after this ISO 8601 date (UTC) or instant. */
  startDate?: string | undefined;
  /** Only tasks created on or before this ISO 8601 date (UTC) or instant. */
  endDate?: string | undefined;
  /** Only completed tasks, or only open ones. */
  completed?: boolean | undefined;
  /** Only tasks extracted from this meeting. */
  meetingId?: string | undefined;
  /** Only tasks from meetings recorded by the member with this e-mail address. */
  userEmail?: string | undefined;
}

/** The routes of a personal key, `/v1/me/*`. */
export type MeRouter = TRPCBuiltRouter<
  RouterTypes,
  {
    meetings: {
      /**
       * List own and shared meetings.
       *
       * The caller's own meetings and those shared with the caller, directly or through a shared tag; newest
       * start first, in pages. A filter that matches nothing gives an empty list.
       */
      list: TRPCQueryProcedure<{ input: ListMyMeetings | undefined; output: MeetingPage; meta: object }>;
      /**
       * Get a meeting with everything in it.
       *
       * Summary, transcript, participants, tasks, tags and calendar event of a meeting that the caller owns
       * or that is shared with the caller. While a summary is locked by the plan's limits, its texts are
       * empty.
       */
      get: TRPCQueryProcedure<{ input: MeetingRef; output: MeetingDetail; meta: object }>;
      /**
       * Delete an own meeting.
       *
       * Deletes a meeting with its summary, transcript and tasks, permanently. **This can't be undone.**
       * Only meetings that the caller owns; shared ones can't be deleted.
       */
      delete: TRPCMutationProcedure<{ input: MeetingRef; output: DeletedMeeting; meta: object }>;
      /**
       * Search what was said.
       *
       * Finds excerpts of own and shared meetings by meaning: up to 40, most relevant first, each with its
       * source. Without `startDate` and `endDate` only meetings of the last 6 months are searched.
       */
      search: TRPCQueryProcedure<{ input: SearchMeetings; output: SearchResults; meta: object }>;
    };
    tasks: {
      /**
       * List tasks of own and shared meetings.
       *
       * Action items of meetings that the caller can read; newest first, in pages. A filter that matches
       * nothing gives an empty list.
       */
      list: TRPCQueryProcedure<{ input: ListMyTasks | undefined; output: TaskPage; meta: object }>;
      /**
       * Complete, reopen or reword an own task.
       *
       * Changes a task's text, its state, or both; what is left out stays as it is. At least one of
       * `completed` and `text` is required. Repeating an update changes nothing and is no error. The answer
       * has `taskId` and exactly the fields that were sent. Only tasks that the caller owns; tasks of shared
       * meetings are read-only.
       */
      update: TRPCMutationProcedure<{ input: UpdateTask; output: UpdatedTask; meta: object }>;
    };
    tags: {
      /**
       * List own and shared tags.
       *
       * The caller's own tags and tags that others shared with the caller.
       */
      list: TRPCQueryProcedure<{ input: NoInput | undefined; output: TagList; meta: object }>;
    };
  }
>;

/** The routes of a workspace key, `/v1/workspace/*`. */
export type WorkspaceRouter = TRPCBuiltRouter<
  RouterTypes,
  {
    meetings: {
      /**
       * List the workspace's meetings.
       *
       * Meetings of all current members of the workspace; newest start first, in pages. A filter that
       * matches nothing gives an empty list.
       */
      list: TRPCQueryProcedure<{
        input: ListWorkspaceMeetings | undefined;
        output: MeetingPage;
        meta: object;
      }>;
      /**
       * Get a meeting of the workspace with everything in it.
       *
       * Summary, transcript, participants, tasks, tags and calendar event of a meeting that a current member
       * recorded. While a summary is locked by the plan's limits, its texts are empty.
       */
      get: TRPCQueryProcedure<{ input: MeetingRef; output: MeetingDetail; meta: object }>;
      /**
       * Delete a meeting of the workspace.
       *
       * Deletes a meeting with its summary, transcript and tasks, permanently. **This can't be undone.** Any
       * meeting whose owner is a current member of the workspace.
       */
      delete: TRPCMutationProcedure<{ input: MeetingRef; output: DeletedMeeting; meta: object }>;
    };
    tasks: {
      /**
       * List the workspace's tasks.
       *
       * Action items of the meetings of all current members; newest first, in pages. A filter that matches
       * nothing gives an empty list.
       */
      list: TRPCQueryProcedure<{ input: ListWorkspaceTasks | undefined; output: TaskPage; meta: object }>;
      /**
       * Complete, reopen or reword a task of the workspace.
       *
       * Changes a task's text, its state, or both; what is left out stays as it is. At least one of
       * `completed` and `text` is required. Repeating an update changes nothing and is no error. The answer
       * has `taskId` and exactly the fields that were sent. Any task of a current member's meeting.
       */
      update: TRPCMutationProcedure<{ input: UpdateTask; output: UpdatedTask; meta: object }>;
    };
  }
>;
