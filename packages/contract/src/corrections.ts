import { z } from "zod";
import { BASE_VERSION, baseVersion, EditedMeeting, forEditors, STALE_VERSION } from "./editing.js";
import { AssigneeInput, SummaryInput, untrimmedText } from "./import.js";
import { Day, InstantInput, InstantOut } from "./instants.js";
import { SummaryOrigin } from "./instructions.js";
import { Language } from "./language.js";
import { LIMITS } from "./limits.js";
import { AssigneeOut } from "./meeting-detail.js";
import { MeetingRef } from "./meetings.js";
import { MESSAGES } from "./messages.js";
import { createFieldRefusal, createRefusal, mutation, query } from "./operation.js";
import { Id, trimmedText } from "./text.js";

const meetingId = Id.describe("The meeting's `id`.");
const taskId = Id.describe("The task's `id`.");

const requireAField = (fields: readonly string[]) => (input: Readonly<Record<string, unknown>>) =>
  fields.some((field) => input[field] !== undefined);

/** Parameters of `meetings.update`. */
export const UpdateMeeting = z
  .strictObject({
    meetingId,
    baseVersion,
    title: trimmedText(1, LIMITS.titleMax).optional().describe("Meeting title."),
    startTime: InstantInput.optional().describe("When the meeting started."),
    endTime: InstantInput.nullable().optional().describe("When the meeting ended; null if unknown."),
    summary: SummaryInput.nullable().optional().describe("The new summary; null removes it."),
  })
  .refine(requireAField(["title", "startTime", "endTime", "summary"]), MESSAGES.nothingToEdit);
export type UpdateMeeting = z.output<typeof UpdateMeeting>;

/** Parameters of `meetings.updateTurn`. */
export const UpdateTurn = z
  .strictObject({
    meetingId,
    turn: z.int().min(0).max(LIMITS.segmentsMax).describe("Position of the turn in the transcript, from 0."),
    baseVersion,
    spokenText: untrimmedText(LIMITS.segmentTextMax).optional().describe("What was said."),
    speakerLabel: Id.optional().describe("The label of a speaker of the same meeting, who said it."),
  })
  .refine(requireAField(["spokenText", "speakerLabel"]), MESSAGES.nothingToEdit);
export type UpdateTurn = z.output<typeof UpdateTurn>;

const taskFields = {
  text: trimmedText(1, LIMITS.taskTextMax).describe("Task description."),
  assignee: AssigneeInput.nullable()
    .optional()
    .describe(
      "The person who should do it; null for nobody. Only an address, or the exact name of a speaker, reaches a person.",
    ),
  due: Day.nullable().optional().describe("The day by which it should be done, `YYYY-MM-DD`; null for none."),
};

/** Parameters of `tasks.create`. */
export const CreateTask = z.strictObject({ meetingId, baseVersion, ...taskFields });
export type CreateTask = z.output<typeof CreateTask>;

/** Parameters of `meetings.updateTask`. */
export const UpdateMeetingTask = z
  .strictObject({
    taskId,
    meetingId: Id.describe("The meeting that the task must belong to."),
    baseVersion,
    ...taskFields,
    text: taskFields.text.optional(),
  })
  .refine(requireAField(["text", "assignee", "due"]), MESSAGES.nothingToEdit);
export type UpdateMeetingTask = z.output<typeof UpdateMeetingTask>;

/** Parameters of `tasks.delete`. */
export const DeleteTask = z.strictObject({ taskId, baseVersion });
export type DeleteTask = z.output<typeof DeleteTask>;

const version = z.int().min(1).describe("Number of a version.");

/** Parameters of `meetings.getVersion`. */
export const VersionRef = z.strictObject({ meetingId, version });
export type VersionRef = z.output<typeof VersionRef>;

/** Parameters of `meetings.restoreVersion`. */
export const RestoreVersion = z.strictObject({ meetingId, version, baseVersion });
export type RestoreVersion = z.output<typeof RestoreVersion>;

/** Parameters of `meetings.summarize`. */
export const SummarizeMeeting = z.strictObject({
  meetingId,
  instruction: Id.nullable()
    .optional()
    .describe("Name or `id` of a summary instruction; null: none. Absent: chosen."),
  language: Language.nullable()
    .optional()
    .describe("Such as `de`; null: as spoken. Absent: the instruction's."),
});
export type SummarizeMeeting = z.output<typeof SummarizeMeeting>;

/** Answer of `meetings.summarize`. */
export const RequestedSummary = z
  .object({
    meetingId: z.string().describe("The meeting's `id`."),
    instruction: z.string().nullable().describe("Name of the instruction; null without one."),
    language: z.string().nullable().describe("Code of the language; null: as spoken."),
  })
  .meta({ id: "RequestedSummary", description: "What a summary will be written with." });
export type RequestedSummary = z.infer<typeof RequestedSummary>;

/** Answer of an edit of a task. */
export const EditedTask = EditedMeeting.extend({ taskId: z.string().describe("The task's `id`.") }).meta({
  id: "EditedTask",
  description: "The task, and its meeting's version after an edit.",
});
export type EditedTask = z.infer<typeof EditedTask>;

/** Answer of `meetings.listVersions`. */
export const MeetingVersions = z
  .object({
    version: z.int().describe("The current version."),
    versions: z
      .array(
        z.object({
          version: z.int().describe("Number of the version."),
          at: InstantOut.nullable().describe("When it was made; null for the earliest that is kept."),
          actor: z
            .string()
            .nullable()
            .describe(
              "ID of the user or key that made it, or `operator`; null for the earliest that is kept.",
            ),
          actorName: z.string().nullable().describe("Name of that user or key; null if there is none."),
          action: z
            .enum(["edit", "replace", "restore"])
            .nullable()
            .describe(
              "What made it: an edit, a recorder's replacement, or the restoration of an earlier version.",
            ),
          fields: z.array(z.string()).describe("What it changed, such as `title` and `tasks`."),
        }),
      )
      .describe("The versions that are kept, newest first."),
  })
  .meta({ id: "MeetingVersions", description: "The versions of a meeting." });
export type MeetingVersions = z.infer<typeof MeetingVersions>;

/** Answer of `meetings.getVersion`. */
export const MeetingVersion = z
  .object({
    meetingId: z.string().describe("The meeting's `id`."),
    version: z.int().describe("Number of the version."),
    title: z.string().describe("Meeting title."),
    generatedTitle: z.string().nullable().describe("Machine-generated title."),
    startTime: InstantOut.describe("When the meeting started."),
    endTime: InstantOut.nullable().describe("When the meeting ended."),
    summary: z
      .object({
        markdown: z.string().describe("The summary in Markdown."),
        short: z.string().describe("Brief one-line summary."),
        origin: SummaryOrigin.nullable().describe(
          "The instruction and language that produced it; null if nothing was asked for, or a person or program wrote it.",
        ),
      })
      .nullable()
      .describe("The summary; null if there is none, or while it is locked."),
    segments: z
      .array(
        z.object({
          speakerLabel: z.string().describe("Label of the speaker within the meeting."),
          speakerName: z.string().describe("Display name."),
          text: z.string().describe("What was said."),
          startSeconds: z.number().nullable().describe("Seconds from the start of the recording, if known."),
          endSeconds: z.number().nullable().describe("Seconds from the start of the recording, if known."),
        }),
      )
      .describe("The transcript, turn by turn."),
    tasks: z
      .array(
        z.object({
          id: z.string().describe("Unique task ID."),
          text: z.string().describe("Task description."),
          completed: z.boolean().describe("True once the task is done; versions don't restore this."),
          assignee: AssigneeOut,
          due: z.string().nullable().describe("The day by which it should be done, `YYYY-MM-DD`."),
        }),
      )
      .describe("Action items, in order."),
  })
  .meta({ id: "MeetingVersion", description: "The content of a meeting at a version." });
export type MeetingVersion = z.infer<typeof MeetingVersion>;

const MEETING = { meetingId: "mtg_2vQ8RmZk4sXy7TbN1pLc" };
const TASK = { taskId: "tsk_5hJd9WqE3uKf6GvA8xMr" };
const BASED = { baseVersion: 1 };
const NO_VERSION = createRefusal(404, MESSAGES.versionNotFound);
const NOTHING = createRefusal(400, MESSAGES.nothingToEdit);

export const updateMeeting = mutation("meetings.update", {
  ...forEditors(
    "meeting",
    "meeting.update",
    "Edit a meeting",
    `Changes a meeting's title, times or summary; absent fields stay unchanged. A locked summary can't be edited. ${BASE_VERSION}`,
    NOTHING,
    createRefusal(409, MESSAGES.summaryLocked),
    STALE_VERSION,
  ),
  rest: { at: "PATCH /meetings/{meetingId}", id: "updateMeeting" },
  tool: {
    name: "update_meeting",
    title: "Correct a meeting's title, times or summary",
    description:
      "Replaces a meeting's title, times or summary. Take baseVersion from `version` of get_meeting.",
  },
  costly: true,
  input: UpdateMeeting,
  output: EditedMeeting,
  example: { ...MEETING, ...BASED, title: "Weekly review" },
});

export const updateTurn = mutation("meetings.updateTurn", {
  ...forEditors(
    "meeting",
    "meeting.update",
    "Correct a turn of a transcript",
    `Changes what was said in one turn, or which speaker said it. ${BASE_VERSION}`,
    NOTHING,
    createRefusal(404, MESSAGES.turnNotFound),
    createRefusal(404, MESSAGES.speakerNotFound),
    STALE_VERSION,
  ),
  rest: { at: "PATCH /meetings/{meetingId}/transcript/{turn}", id: "updateTurn" },
  tool: {
    name: "update_turn",
    title: "Correct a turn of a transcript",
    description:
      "Corrects what was said in one turn, or which speaker of the meeting said it. Take turn (`position`) and speakerLabel from get_turns, and baseVersion from `version` of get_meeting.",
  },
  costly: true,
  input: UpdateTurn,
  output: EditedMeeting,
  example: { ...MEETING, turn: 0, ...BASED, spokenText: "We talked about the turbines." },
});

export const listVersions = query("meetings.listVersions", {
  ...forEditors(
    "meeting",
    "meeting.versions",
    "List the versions of a meeting",
    "Who changed the meeting, when, and which fields; newest first. `version` is the base of the next edit.",
  ),
  rest: { at: "GET /meetings/{meetingId}/versions", id: "listMeetingVersions" },
  tool: {
    name: "list_versions",
    title: "List a meeting's versions",
    description: "Lists who changed a meeting, when, and which fields, newest first.",
    list: "versions",
  },
  input: MeetingRef,
  output: MeetingVersions,
  example: MEETING,
});

export const getVersion = query("meetings.getVersion", {
  ...forEditors(
    "meeting",
    "meeting.versions",
    "Get an earlier version of a meeting",
    "The meeting's content at a version. While the summary is locked, it is null.",
    NO_VERSION,
  ),
  rest: { at: "GET /meetings/{meetingId}/versions/{version}", id: "getMeetingVersion" },
  costly: true,
  input: VersionRef,
  output: MeetingVersion,
  example: { ...MEETING, version: 1 },
});

export const restoreVersion = mutation("meetings.restoreVersion", {
  ...forEditors(
    "meeting",
    "meeting.restore-version",
    "Restore an earlier version of a meeting",
    `Restores the content of a version, as a new version. Tasks keep their state; deleted ones come back with a new ID. ${BASE_VERSION}`,
    NO_VERSION,
    STALE_VERSION,
  ),
  rest: { at: "POST /meetings/{meetingId}/versions/{version}/restore", id: "restoreMeetingVersion" },
  tool: {
    name: "restore_version",
    title: "Restore an earlier version of a meeting",
    description:
      "Makes an earlier version the current one; what it replaces is kept. Take version and baseVersion (the current `version`) from list_versions. Ask the user first.",
  },
  costly: true,
  input: RestoreVersion,
  output: EditedMeeting,
  example: { ...MEETING, version: 1, ...BASED },
});

export const summarizeMeeting = mutation("meetings.summarize", {
  ...forEditors(
    "meeting",
    "meeting.summarize",
    "Write the summary again",
    "Asks the summarizer for a new summary, which replaces the present one within minutes; that stays as a version. Title and tasks stay.",
    createRefusal(404, MESSAGES.instructionNotFound),
    createRefusal(409, MESSAGES.noSummarizer),
    createRefusal(409, MESSAGES.tooShortForSummary),
    createRefusal(409, MESSAGES.summaryLocked),
    createRefusal(429, MESSAGES.tooManySummaries),
  ),
  rest: { at: "POST /meetings/{meetingId}/summary", id: "summarizeMeeting", content: ["instruction"] },
  tool: {
    name: "summarize_meeting",
    title: "Write a meeting's summary again",
    description: "Has a new summary written; the present one stays as a version.",
  },
  input: SummarizeMeeting,
  output: RequestedSummary,
  example: { ...MEETING, language: "de" },
});

export const createTask = mutation("tasks.create", {
  ...forEditors(
    "meeting",
    "task.create",
    "Add a task to a meeting",
    `Adds a task at the end of the meeting's tasks, with an assignee and a due date. ${BASE_VERSION}`,
    createFieldRefusal("text"),
    createRefusal(409, MESSAGES.tooManyTasks),
    STALE_VERSION,
  ),
  rest: { at: "POST /meetings/{meetingId}/tasks", id: "createTask" },
  tool: {
    name: "create_task",
    title: "Add a task to a meeting",
    description:
      "Adds a task to a meeting, with an assignee and a due date if known. Take baseVersion from `version` of get_meeting.",
  },
  costly: true,
  input: CreateTask,
  output: EditedTask,
  example: { ...MEETING, ...BASED, text: "Call the supplier", due: "2026-03-14" },
});

export const updateMeetingTask = mutation("meetings.updateTask", {
  ...forEditors(
    "meeting",
    "task.update",
    "Assign, date or reword a task",
    `Changes a task's text, assignee or due date; absent fields stay unchanged, null removes. ${BASE_VERSION}`,
    NOTHING,
    STALE_VERSION,
  ),
  rest: { at: "PATCH /meetings/{meetingId}/tasks/{taskId}", id: "updateMeetingTask" },
  tool: {
    name: "update_meeting_task",
    title: "Assign, date or reword a task",
    description:
      "Changes a task's assignee, due date or text. Take baseVersion from `version` of get_meeting. To complete it, use update_task.",
  },
  costly: true,
  input: UpdateMeetingTask,
  output: EditedTask,
  example: { ...MEETING, ...TASK, ...BASED, due: "2026-03-14" },
});

export const deleteTask = mutation("tasks.delete", {
  ...forEditors(
    "task",
    "task.delete",
    "Delete a task",
    `Deletes a task of a meeting. ${BASE_VERSION}`,
    STALE_VERSION,
  ),
  rest: { at: "DELETE /tasks/{taskId}", id: "deleteTask" },
  costly: true,
  input: DeleteTask,
  output: EditedTask,
  example: { ...TASK, ...BASED },
});
