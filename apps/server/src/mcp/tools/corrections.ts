import { LIMITS, MeetingVersions } from "@minutes/contract";
import { type Arguments, omit, readFlag, type ToolDefinition } from "./definition.js";
import { everythingParameter, type List, shorten, withNote } from "./size.js";

const VERSIONS: List = { key: "versions", what: "versions", most: LIMITS.pageSizeMax };

/** Tools that correct meetings. Each edit names the version that it is based on, and keeps the one before. */
export const CORRECTION_TOOLS: readonly ToolDefinition[] = [
  {
    name: "edit_meeting",
    title: "Correct a meeting's title, times or summary",
    description:
      "Replaces a meeting's title, times or summary; omitted fields stay unchanged, and the version before is kept. Take baseVersion from " +
      "`version` of get_meeting. A locked summary can't be edited. With a personal key, only the user's own meetings.",
    procedure: "meetings.edit",
  },
  {
    name: "edit_turn",
    title: "Correct a turn of a transcript",
    description:
      "Corrects what was said in one turn, or who said it: a speakerLabel of the same meeting. Take turn (`position`) and speakerLabel from " +
      "get_turns, and baseVersion from `version` of get_meeting.",
    procedure: "meetings.editTurn",
  },
  {
    name: "add_task",
    title: "Add a task to a meeting",
    description:
      "Adds a task to a meeting, with an assignee and a due date if they are known. Take baseVersion from `version` of get_meeting.",
    procedure: "tasks.add",
  },
  {
    name: "edit_task",
    title: "Assign, date or reword a task",
    description:
      "Changes a task's assignee, due date or text. Take baseVersion from `version` of get_meeting. To complete or reopen a task, use update_task.",
    procedure: "tasks.edit",
  },
  {
    name: "list_versions",
    title: "List a meeting's versions",
    description:
      "Lists who changed a meeting, when, and which fields, newest first. Only for meetings that the key can edit.",
    procedure: "meetings.versions",
    extra: { everything: everythingParameter },
    output: withNote(MeetingVersions),
    call: async (args, { run }) => {
      const everything = readFlag(args, "everything");
      const found = (await run(omit(args, "everything"))) as Arguments;
      return everything ? found : shorten(found, VERSIONS, "Set everything to true for all.");
    },
  },
  {
    name: "restore_version",
    title: "Restore an earlier version of a meeting",
    description:
      "Makes the content of an earlier version the current one; what it replaces is kept, too. Take version and baseVersion (the current " +
      "`version`) from list_versions. Ask the user first.",
    procedure: "meetings.restoreVersion",
  },
];
