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
import { personalProcedure, workspaceProcedure } from "../api/index.js";
import { toEditor, toWorkspaceEditor } from "./correct.js";
import { editMeeting, editTurn } from "./edit-meeting.js";
import { addTask, deleteTask, editTask } from "./edit-task.js";
import { getVersion, listVersions } from "./list-versions.js";
import { restoreVersion } from "./restore-version.js";

/** Corrections of the caller's own meetings, and their versions. */
export const myMeetingCorrections = {
  edit: personalProcedure
    .input(EditMeeting)
    .output(EditedMeeting)
    .mutation(({ ctx, input }) => editMeeting(ctx.db, toEditor(ctx.caller), input)),
  editTurn: personalProcedure
    .input(EditTurn)
    .output(EditedMeeting)
    .mutation(({ ctx, input }) => editTurn(ctx.db, toEditor(ctx.caller), input)),
  versions: personalProcedure
    .input(MeetingRef)
    .output(MeetingVersions)
    .query(({ ctx, input }) => listVersions(ctx.db, toEditor(ctx.caller), input.meetingId)),
  version: personalProcedure
    .input(VersionRef)
    .output(MeetingVersion)
    .query(({ ctx, input }) => getVersion(ctx.db, toEditor(ctx.caller), input)),
  restoreVersion: personalProcedure
    .input(RestoreVersion)
    .output(EditedMeeting)
    .mutation(({ ctx, input }) => restoreVersion(ctx.db, toEditor(ctx.caller), input)),
};

/** Corrections of the tasks of the caller's own meetings. */
export const myTaskCorrections = {
  add: personalProcedure
    .input(AddTask)
    .output(EditedTask)
    .mutation(({ ctx, input }) => addTask(ctx.db, toEditor(ctx.caller), input)),
  edit: personalProcedure
    .input(EditTask)
    .output(EditedTask)
    .mutation(({ ctx, input }) => editTask(ctx.db, toEditor(ctx.caller), input)),
  delete: personalProcedure
    .input(DeleteTask)
    .output(EditedTask)
    .mutation(({ ctx, input }) => deleteTask(ctx.db, toEditor(ctx.caller), input)),
};

/** Corrections of members' meetings, and their versions. */
export const workspaceMeetingCorrections = {
  edit: workspaceProcedure
    .input(EditMeeting)
    .output(EditedMeeting)
    .mutation(({ ctx, input }) => editMeeting(ctx.db, toWorkspaceEditor(ctx.caller), input)),
  editTurn: workspaceProcedure
    .input(EditTurn)
    .output(EditedMeeting)
    .mutation(({ ctx, input }) => editTurn(ctx.db, toWorkspaceEditor(ctx.caller), input)),
  versions: workspaceProcedure
    .input(MeetingRef)
    .output(MeetingVersions)
    .query(({ ctx, input }) => listVersions(ctx.db, toWorkspaceEditor(ctx.caller), input.meetingId)),
  version: workspaceProcedure
    .input(VersionRef)
    .output(MeetingVersion)
    .query(({ ctx, input }) => getVersion(ctx.db, toWorkspaceEditor(ctx.caller), input)),
  restoreVersion: workspaceProcedure
    .input(RestoreVersion)
    .output(EditedMeeting)
    .mutation(({ ctx, input }) => restoreVersion(ctx.db, toWorkspaceEditor(ctx.caller), input)),
};

/** Corrections of the tasks of members' meetings. */
export const workspaceTaskCorrections = {
  add: workspaceProcedure
    .input(AddTask)
    .output(EditedTask)
    .mutation(({ ctx, input }) => addTask(ctx.db, toWorkspaceEditor(ctx.caller), input)),
  edit: workspaceProcedure
    .input(EditTask)
    .output(EditedTask)
    .mutation(({ ctx, input }) => editTask(ctx.db, toWorkspaceEditor(ctx.caller), input)),
  delete: workspaceProcedure
    .input(DeleteTask)
    .output(EditedTask)
    .mutation(({ ctx, input }) => deleteTask(ctx.db, toWorkspaceEditor(ctx.caller), input)),
};
