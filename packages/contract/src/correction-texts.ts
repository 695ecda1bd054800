import { MESSAGES, staleVersion } from "./messages.js";
import { createFieldRefusal, createRefusal, type ProcedureReference } from "./procedure.js";

const MEETING = { meetingId: "mtg_2vQ8RmZk4sXy7TbN1pLc" };
const TASK = { taskId: "tsk_5hJd9WqE3uKf6GvA8xMr" };
const base = { baseVersion: 1 };

/** The refusal of an edit based on an earlier version. */
export const STALE = createRefusal(409, staleVersion(3, 5, ["summary", "tasks"]));
const NO_VERSION = createRefusal(404, MESSAGES.versionNotFound);
/** What `baseVersion` means. */
export const BASE =
  "`baseVersion` is the version that the caller saw; if the meeting has changed since, the answer is 409 and says what " +
  "changed.";
const OWN = "Only meetings that the caller owns.";
const MEMBERS = "Any meeting of a current member.";

/** Writes the texts of an edit for both kinds of keys. */
export const describeEdit = (
  name: string,
  summary: string,
  description: string,
  example: ProcedureReference["example"],
  refusals: ProcedureReference["refusals"],
): Record<string, ProcedureReference> => {
  const own = createRefusal(403, MESSAGES.notYourMeetingToEdit);
  const members = createRefusal(403, MESSAGES.notInWorkspace);
  const isOfMeeting = "meetingId" in example;
  const toAll = (refused: ProcedureReference["refusals"][number]) =>
    isOfMeeting
      ? [createFieldRefusal("meetingId"), refused, createRefusal(404, MESSAGES.meetingNotFound), ...refusals]
      : [createFieldRefusal("taskId"), createRefusal(404, MESSAGES.taskNotWritable), ...refusals];
  return {
    [`me/${name}`]: {
      ...{ summary, description: `${description} ${OWN}`, example, refusals: toAll(own), addition: true },
    },
    [`workspace/${name}`]: {
      ...{ summary: `${summary} of the workspace`, description: `${description} ${MEMBERS}`, example },
      ...{ refusals: toAll(members), addition: true },
    },
  };
};

/** Reference texts of corrections and versions. */
export const CORRECTION_TEXTS: Readonly<Record<string, ProcedureReference>> = {
  ...describeEdit(
    "meetings.edit",
    "Edit a meeting",
    `Changes a meeting's title, times or summary; absent fields stay unchanged. A locked summary can't be edited. ${BASE}`,
    { ...MEETING, ...base, title: "Weekly review" },
    [createRefusal(400, MESSAGES.nothingToEdit), createRefusal(409, MESSAGES.summaryLocked), STALE],
  ),
  ...describeEdit(
    "meetings.editTurn",
    "Correct a turn of a transcript",
    `Changes what was said in one turn, or which speaker of the meeting said it. ${BASE}`,
    { ...MEETING, turn: 0, ...base, spokenText: "We talked about the turbines." },
    [
      createRefusal(400, MESSAGES.nothingToEdit),
      createRefusal(404, MESSAGES.turnNotFound),
      createRefusal(404, MESSAGES.speakerNotFound),
      STALE,
    ],
  ),
  ...describeEdit(
    "meetings.versions",
    "List the versions of a meeting",
    "Who changed the meeting, when, and which fields; newest first. `version` is the base of the next edit.",
    MEETING,
    [],
  ),
  ...describeEdit(
    "meetings.version",
    "Get an earlier version of a meeting",
    "The meeting's content at a version. While the summary is locked, it is null.",
    { ...MEETING, version: 1 },
    [NO_VERSION],
  ),
  ...describeEdit(
    "meetings.restoreVersion",
    "Restore an earlier version of a meeting",
    `Restores the content of a version, as a new version. Tasks keep their state; deleted ones come back with a new ID. ${BASE}`,
    { ...MEETING, version: 1, ...base },
    [NO_VERSION, STALE],
  ),
  ...describeEdit(
    "tasks.add",
    "Add a task to a meeting",
    `Adds a task at the end of the meeting's tasks, with an assignee and a due date. ${BASE}`,
    { ...MEETING, ...base, text: "Call the supplier", due: "2026-03-14" },
    [createFieldRefusal("text"), createRefusal(409, MESSAGES.tooManyTasks), STALE],
  ),
  ...describeEdit(
    "tasks.edit",
    "Assign, date or reword a task",
    `Changes a task's text, assignee or due date; absent fields stay unchanged, null removes. ${BASE}`,
    { ...MEETING, ...TASK, ...base, due: "2026-03-14" },
    [createRefusal(400, MESSAGES.nothingToEdit), STALE],
  ),
  ...describeEdit(
    "tasks.delete",
    "Delete a task",
    `Deletes a task of a meeting. ${BASE}`,
    { ...TASK, ...base },
    [STALE],
  ),
};
