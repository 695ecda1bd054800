import {
  AssignSpeaker,
  EditedSpeaker,
  MeetingRef,
  MeetingSpeakers,
  MergeSpeakers,
  SplitSpeaker,
} from "@minutes/contract";
import { keyProcedure } from "../api/index.js";
import { toEditor } from "../corrections/index.js";
import { assignSpeaker, mergeSpeakers, splitSpeaker } from "./edit-speakers.js";
import { listSpeakers } from "./list-speakers.js";

/** The speakers of meetings that the caller can read, and changes of those in meetings that they can edit. */
export const speakers = {
  list: keyProcedure
    .input(MeetingRef)
    .output(MeetingSpeakers)
    .query(({ ctx, input }) => listSpeakers(ctx.db, toEditor(ctx.caller), input.meetingId)),
  assign: keyProcedure
    .input(AssignSpeaker)
    .output(EditedSpeaker)
    .mutation(({ ctx, input }) => assignSpeaker(ctx.db, toEditor(ctx.caller), input)),
  merge: keyProcedure
    .input(MergeSpeakers)
    .output(EditedSpeaker)
    .mutation(({ ctx, input }) => mergeSpeakers(ctx.db, toEditor(ctx.caller), input)),
  split: keyProcedure
    .input(SplitSpeaker)
    .output(EditedSpeaker)
    .mutation(({ ctx, input }) => splitSpeaker(ctx.db, toEditor(ctx.caller), input)),
};
