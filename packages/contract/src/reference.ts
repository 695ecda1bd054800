import { FIELD_MESSAGES, MESSAGES } from "./messages.js";

/** What people, editors and assistants are told about one procedure. */
export interface ProcedureReference {
  /** A few words, without a full stop. */
  readonly summary: string;
  /** Sentences in Markdown: who may call it, what it promises. */
  readonly description: string;
  /** What it can refuse besides what every procedure refuses. */
  readonly refusals: readonly Refusal[];
}

/** A status, and the messages that it comes with. */
export interface Refusal {
  readonly status: number;
  readonly message: string;
}

const refusal = (status: number, message: string): Refusal => ({ status, message });

const noAccess = refusal(403, MESSAGES.noMeetingAccess);
const noMeeting = refusal(404, MESSAGES.meetingNotFound);
const noTask = refusal(404, MESSAGES.taskNotWritable);

const field = (name: keyof typeof FIELD_MESSAGES): Refusal => refusal(400, FIELD_MESSAGES[name] ?? "");
const page = ["limit", "cursor", "startDate", "endDate"].map(field);

const UPDATE =
  "Changes a task's text, its state, or both; what is left out stays as it is. At least one of `completed` and " +
  "`text` is required. Repeating an update changes nothing and is no error. The answer has `taskId` and exactly " +
  "the fields that were sent.";
const UPDATE_REFUSALS = [
  ...["taskId", "completed", "text"].map(field),
  refusal(400, "At least one of completed or text is required."),
  noTask,
];
const DELETE =
  "Deletes a meeting with its summary, transcript and tasks, permanently. **This can't be undone.**";

/** Every procedure of `/v1`, by its path below the version. @see docs/specification.md#endpoints */
export const REFERENCE = {
  "me/meetings.list": {
    summary: "List own and shared meetings",
    description:
      "The caller's own meetings and those shared with the caller, directly or through a shared tag; newest start " +
      "first, in pages. A filter that matches nothing gives an empty list.",
    refusals: [...page, field("tag")],
  },
  "me/meetings.get": {
    summary: "Get a meeting with everything in it",
    description:
      "Summary, transcript, participants, tasks, tags and calendar event of a meeting that the caller owns or that " +
      "is shared with the caller. While a summary is locked by the plan's limits, its texts are empty.",
    refusals: [field("meetingId"), noAccess, noMeeting],
  },
  "me/meetings.delete": {
    summary: "Delete an own meeting",
    description: `${DELETE} Only meetings that the caller owns; shared ones can't be deleted.`,
    refusals: [field("meetingId"), refusal(403, MESSAGES.notYourMeeting), noMeeting],
  },
  "me/meetings.search": {
    summary: "Search what was said",
    description:
      "Finds excerpts of own and shared meetings by meaning: up to 40, most relevant first, each with its source. " +
      "Without `startDate` and `endDate` only meetings of the last 6 months are searched.",
    refusals: ["query", "startDate", "endDate"].map(field),
  },
  "me/tasks.list": {
    summary: "List tasks of own and shared meetings",
    description:
      "Action items of meetings that the caller can read; newest first, in pages. A filter that matches nothing " +
      "gives an empty list.",
    refusals: [...page, field("completed"), field("meetingId")],
  },
  "me/tasks.update": {
    summary: "Complete, reopen or reword an own task",
    description: `${UPDATE} Only tasks that the caller owns; tasks of shared meetings are read-only.`,
    refusals: UPDATE_REFUSALS,
  },
  "me/tags.list": {
    summary: "List own and shared tags",
    description: "The caller's own tags and tags that others shared with the caller.",
    refusals: [],
  },
  "workspace/meetings.list": {
    summary: "List the workspace's meetings",
    description:
      "Meetings of all current members of the workspace; newest start first, in pages. A filter that matches " +
      "nothing gives an empty list.",
    refusals: [...page, field("userEmail")],
  },
  "workspace/meetings.get": {
    summary: "Get a meeting of the workspace with everything in it",
    description:
      "Summary, transcript, participants, tasks, tags and calendar event of a meeting that a current member " +
      "recorded. While a summary is locked by the plan's limits, its texts are empty.",
    refusals: [field("meetingId"), noAccess, noMeeting],
  },
  "workspace/meetings.delete": {
    summary: "Delete a meeting of the workspace",
    description: `${DELETE} Any meeting whose owner is a current member of the workspace.`,
    refusals: [field("meetingId"), refusal(403, MESSAGES.notInWorkspace), noMeeting],
  },
  "workspace/tasks.list": {
    summary: "List the workspace's tasks",
    description:
      "Action items of the meetings of all current members; newest first, in pages. A filter that matches nothing " +
      "gives an empty list.",
    refusals: [...page, field("completed"), field("meetingId"), field("userEmail")],
  },
  "workspace/tasks.update": {
    summary: "Complete, reopen or reword a task of the workspace",
    description: `${UPDATE} Any task of a current member's meeting.`,
    refusals: UPDATE_REFUSALS,
  },
} as const satisfies Readonly<Record<string, ProcedureReference>>;

/** The path of a procedure below the version: `me/meetings.list`. */
export type ProcedurePath = keyof typeof REFERENCE;
