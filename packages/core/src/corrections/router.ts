import {
  AddTask,
  DeleteTask,
  EditedMeeting,
  EditedTask,
  EditMeeting,
  EditTask,
  EditTurn,
  MeetingRef,
  MeetingVersion,
  MeetingVersions,
  RestoreVersion,
  VersionRef,
} from "@minutes/contract";
import { keyProcedure } from "../api/index.js";
import { toEditor } from "./correct.js";
import { editMeeting, editTurn } from "./edit-meeting.js";
import { addTask, deleteTask, editTask } from "./edit-task.js";
import { getVersion, listVersions } from "./list-versions.js";
import { restoreVersion } from "./restore-version.js";

/** Corrections of meetings that the caller owns, or of members' meetings, and their versions. */
export const meetingCorrections = {
  edit: keyProcedure
    .input(EditMeeting)
    .output(EditedMeeting)
    .mutation(({ ctx, input }) => editMeeting(ctx.db, toEditor(ctx.caller), input)),
  editTurn: keyProcedure
    .input(EditTurn)
    .output(EditedMeeting)
    .mutation(({ ctx, input }) => editTurn(ctx.db, toEditor(ctx.caller), input)),
  versions: keyProcedure
    .input(MeetingRef)
    .output(MeetingVersions)
    .query(({ ctx, input }) => listVersions(ctx.db, toEditor(ctx.caller), input.meetingId)),
  version: keyProcedure
    .input(VersionRef)
    .output(MeetingVersion)
    .query(({ ctx, input }) => getVersion(ctx.db, toEditor(ctx.caller), input)),
  restoreVersion: keyProcedure
    .input(RestoreVersion)
    .output(EditedMeeting)
    .mutation(({ ctx, input }) => restoreVersion(ctx.db, toEditor(ctx.caller), input)),
};

/** Corrections of the tasks of these meetings. */
export const taskCorrections = {
  add: keyProcedure
    .input(AddTask)
    .output(EditedTask)
    .mutation(({ ctx, input }) => addTask(ctx.db, toEditor(ctx.caller), input)),
  edit: keyProcedure
    .input(EditTask)
    .output(EditedTask)
    .mutation(({ ctx, input }) => editTask(ctx.db, toEditor(ctx.caller), input)),
  delete: keyProcedure
    .input(DeleteTask)
    .output(EditedTask)
    .mutation(({ ctx, input }) => deleteTask(ctx.db, toEditor(ctx.caller), input)),
};
