import {
  AssignSpeaker,
  EditedSpeaker,
  MeetingRef,
  MeetingSpeakers,
  MergeSpeakers,
  SplitSpeaker,
} from "@minutes/contract";
import { personalProcedure, workspaceProcedure } from "../api/index.js";
import { toEditor, toWorkspaceEditor } from "../corrections/index.js";
import { assignSpeaker, mergeSpeakers, splitSpeaker } from "./edit-speakers.js";
import { listSpeakers } from "./list-speakers.js";

/** The speakers of meetings that the caller can read, and changes of those in their own meetings. */
export const mySpeakers = {
  list: personalProcedure
    .input(MeetingRef)
    .output(MeetingSpeakers)
    .query(({ ctx, input }) => listSpeakers(ctx.db, toEditor(ctx.caller), input.meetingId)),
  assign: personalProcedure
    .input(AssignSpeaker)
    .output(EditedSpeaker)
    .mutation(({ ctx, input }) => assignSpeaker(ctx.db, toEditor(ctx.caller), input)),
  merge: personalProcedure
    .input(MergeSpeakers)
    .output(EditedSpeaker)
    .mutation(({ ctx, input }) => mergeSpeakers(ctx.db, toEditor(ctx.caller), input)),
  split: personalProcedure
    .input(SplitSpeaker)
    .output(EditedSpeaker)
    .mutation(({ ctx, input }) => splitSpeaker(ctx.db, toEditor(ctx.caller), input)),
};

/** The speakers of members' meetings. */
export const workspaceSpeakers = {
  list: workspaceProcedure
    .input(MeetingRef)
    .output(MeetingSpeakers)
    .query(({ ctx, input }) => listSpeakers(ctx.db, toWorkspaceEditor(ctx.caller), input.meetingId)),
  assign: workspaceProcedure
    .input(AssignSpeaker)
    .output(EditedSpeaker)
    .mutation(({ ctx, input }) => assignSpeaker(ctx.db, toWorkspaceEditor(ctx.caller), input)),
  merge: workspaceProcedure
    .input(MergeSpeakers)
    .output(EditedSpeaker)
    .mutation(({ ctx, input }) => mergeSpeakers(ctx.db, toWorkspaceEditor(ctx.caller), input)),
  split: workspaceProcedure
    .input(SplitSpeaker)
    .output(EditedSpeaker)
    .mutation(({ ctx, input }) => splitSpeaker(ctx.db, toWorkspaceEditor(ctx.caller), input)),
};
