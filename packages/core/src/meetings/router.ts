import {
  BrowseMeetings,
  DeletedMeeting,
  DetailedSearchResults,
  FindMeetings,
  FoundMeetings,
  ListMyMeetings,
  ListWorkspaceMeetings,
  MESSAGES,
  MeetingDetail,
  MeetingOverviewPage,
  MeetingPage,
  MeetingRef,
  MeetingToEdit,
  MeetingTranscript,
  NoInput,
  SearchByText,
  SearchMeetings,
  SearchMeetingsInDetail,
  SearchProgress,
  SearchResults,
} from "@minutes/contract";
import { actorOf, narrowedTo, ownedBy, ownedByMembers, readableBy, visibleTo } from "../access/index.js";
import { keyProcedure, personalProcedure, workspaceProcedure } from "../api/index.js";
import { browseMeetings, findMeetings } from "./browse.js";
import { deleteMeeting } from "./delete.js";
import { getMeeting, getMeetingToEdit } from "./get.js";
import { listMeetings } from "./list.js";
import { readSearchProgress, searchMeetings, searchMeetingsInDetail } from "./search.js";
import { getTranscript } from "./transcript.js";

const get = keyProcedure
  .input(MeetingRef)
  .output(MeetingDetail)
  .query(({ ctx, input }) => getMeeting(ctx.db, readableBy(ctx.caller), input.meetingId));

const transcript = keyProcedure
  .input(MeetingRef)
  .output(MeetingTranscript)
  .query(({ ctx, input }) => getTranscript(ctx.db, readableBy(ctx.caller), input.meetingId));

/** `/v1/me/meetings.*` */
export const myMeetings = {
  list: personalProcedure
    .input(ListMyMeetings)
    .output(MeetingPage)
    .query(({ ctx, input }) => listMeetings(ctx.db, visibleTo(ctx.caller, input.tag), input)),
  get,
  delete: personalProcedure
    .input(MeetingRef)
    .output(DeletedMeeting)
    .mutation(({ ctx, input }) =>
      deleteMeeting(
        ctx.db,
        { scope: ownedBy(ctx.caller), refusal: MESSAGES.notYourMeeting, actor: actorOf(ctx.caller) },
        input.meetingId,
      ),
    ),
  search: personalProcedure
    .input(SearchMeetings)
    .output(SearchResults)
    .query(({ ctx, input }) => searchMeetings(ctx.db, visibleTo(ctx.caller), input, ctx.similarity)),
};

/**
 * The console's meeting pages and assistants' tools: a personal key's procedures, with all facts, detailed search and
 * the transcript turn by turn.
 */
export const consoleMeetings = {
  ...myMeetings,
  get: personalProcedure
    .input(MeetingRef)
    .output(MeetingToEdit)
    .query(({ ctx, input }) => getMeetingToEdit(ctx.db, visibleTo(ctx.caller), input.meetingId)),
  browse: personalProcedure
    .input(BrowseMeetings)
    .output(MeetingOverviewPage)
    .query(({ ctx, input }) => browseMeetings(ctx.db, ctx.caller, input)),
  find: personalProcedure
    .input(FindMeetings)
    .output(FoundMeetings)
    .query(({ ctx, input }) => findMeetings(ctx.db, ctx.caller, input)),
  search: personalProcedure
    .input(SearchMeetingsInDetail)
    .output(DetailedSearchResults)
    .query(({ ctx, input: { tag, whose, ...input } }) =>
      searchMeetingsInDetail(ctx.db, narrowedTo(ctx.caller, { tag, whose }), input, ctx.similarity),
    ),
  searchProgress: personalProcedure
    .input(NoInput)
    .output(SearchProgress)
    .query(({ ctx }) => readSearchProgress(ctx.db, visibleTo(ctx.caller), ctx.similarity)),
  transcript,
};

/** `/v1/workspace/meetings.*` */
export const workspaceMeetings = {
  list: workspaceProcedure
    .input(ListWorkspaceMeetings)
    .output(MeetingPage)
    .query(({ ctx, input }) => listMeetings(ctx.db, ownedByMembers(ctx.caller, input.userEmail), input)),
  get,
  delete: workspaceProcedure
    .input(MeetingRef)
    .output(DeletedMeeting)
    .mutation(({ ctx, input }) =>
      deleteMeeting(
        ctx.db,
        { scope: ownedByMembers(ctx.caller), refusal: MESSAGES.notInWorkspace, actor: actorOf(ctx.caller) },
        input.meetingId,
      ),
    ),
};

/** `/rest/v1/me/meetings` and `/rest/v1/me/search` */
export const myRestMeetings = {
  ...myMeetings,
  search: personalProcedure
    .input(SearchByText)
    .output(SearchResults)
    .query(({ ctx, input: { q, ...range } }) =>
      searchMeetings(ctx.db, visibleTo(ctx.caller), { query: q, ...range }, ctx.similarity),
    ),
  transcript,
};

/** `/rest/v1/workspace/meetings` */
export const workspaceRestMeetings = {
  ...workspaceMeetings,
  transcript,
};
