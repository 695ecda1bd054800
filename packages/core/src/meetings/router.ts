import {
  DeletedMeeting,
  DetailedSearchResults,
  ListMyMeetings,
  ListWorkspaceMeetings,
  MESSAGES,
  MeetingDetail,
  MeetingPage,
  MeetingRef,
  MeetingTranscript,
  SearchMeetings,
  SearchMeetingsInDetail,
  SearchResults,
} from "@minutes/contract";
import { ownedBy, ownedByMembers, visibleTo } from "../access/index.js";
import { personalProcedure, workspaceProcedure } from "../api/index.js";
import { deleteMeeting } from "./delete.js";
import { getMeeting } from "./get.js";
import { listMeetings } from "./list.js";
import { searchMeetings, searchMeetingsInDetail } from "./search.js";
import { getTranscript } from "./transcript.js";

/** `/v1/me/meetings.*` */
export const myMeetings = {
  list: personalProcedure
    .input(ListMyMeetings)
    .output(MeetingPage)
    .query(({ ctx, input }) => listMeetings(ctx.db, visibleTo(ctx.caller, input.tag), input)),
  get: personalProcedure
    .input(MeetingRef)
    .output(MeetingDetail)
    .query(({ ctx, input }) => getMeeting(ctx.db, visibleTo(ctx.caller), input.meetingId)),
  delete: personalProcedure
    .input(MeetingRef)
    .output(DeletedMeeting)
    .mutation(({ ctx, input }) =>
      deleteMeeting(
        ctx.db,
        { scope: ownedBy(ctx.caller), refusal: MESSAGES.notYourMeeting, actor: ctx.caller.keyId },
        input.meetingId,
      ),
    ),
  search: personalProcedure
    .input(SearchMeetings)
    .output(SearchResults)
    .query(({ ctx, input }) => searchMeetings(ctx.db, visibleTo(ctx.caller), input, ctx.similarity)),
};

/**
 * The console's meeting pages and assistants: a personal key's procedures, but search in detail, and the transcript turn
 * by turn.
 */
export const consoleMeetings = {
  ...myMeetings,
  search: personalProcedure
    .input(SearchMeetingsInDetail)
    .output(DetailedSearchResults)
    .query(({ ctx, input: { tag, ...input } }) =>
      searchMeetingsInDetail(ctx.db, visibleTo(ctx.caller, tag), input, ctx.similarity),
    ),
  transcript: personalProcedure
    .input(MeetingRef)
    .output(MeetingTranscript)
    .query(({ ctx, input }) => getTranscript(ctx.db, visibleTo(ctx.caller), input.meetingId)),
};

/** `/v1/workspace/meetings.*` */
export const workspaceMeetings = {
  list: workspaceProcedure
    .input(ListWorkspaceMeetings)
    .output(MeetingPage)
    .query(({ ctx, input }) => listMeetings(ctx.db, ownedByMembers(ctx.caller, input.userEmail), input)),
  get: workspaceProcedure
    .input(MeetingRef)
    .output(MeetingDetail)
    .query(({ ctx, input }) => getMeeting(ctx.db, ownedByMembers(ctx.caller), input.meetingId)),
  delete: workspaceProcedure
    .input(MeetingRef)
    .output(DeletedMeeting)
    .mutation(({ ctx, input }) =>
      deleteMeeting(
        ctx.db,
        { scope: ownedByMembers(ctx.caller), refusal: MESSAGES.notInWorkspace, actor: ctx.caller.keyId },
        input.meetingId,
      ),
    ),
};
