import {
  DeletedMeeting,
  ListMyMeetings,
  ListWorkspaceMeetings,
  MESSAGES,
  MeetingDetail,
  MeetingPage,
  MeetingRef,
  SearchMeetings,
  SearchResults,
} from "@minutes/contract";
import { company, personal } from "../trpc/index.js";
import { ofWorkspace, ownedBy, visibleTo } from "./access.js";
import { deleteMeeting } from "./delete.js";
import { getMeeting } from "./get.js";
import { listMeetings } from "./list.js";
import { searchMeetings } from "./search.js";

/** `/v1/me/meetings.*` */
export const myMeetings = {
  list: personal
    .input(ListMyMeetings)
    .output(MeetingPage)
    .query(({ ctx, input }) => listMeetings(ctx.db, visibleTo(ctx.caller, input.tag), input)),
  get: personal
    .input(MeetingRef)
    .output(MeetingDetail)
    .query(({ ctx, input }) => getMeeting(ctx.db, visibleTo(ctx.caller), input.meetingId)),
  delete: personal
    .input(MeetingRef)
    .output(DeletedMeeting)
    .mutation(({ ctx, input }) =>
      deleteMeeting(
        ctx.db,
        { scope: ownedBy(ctx.caller), refusal: MESSAGES.notYourMeeting, actor: ctx.caller.keyId },
        input.meetingId,
      ),
    ),
  search: personal
    .input(SearchMeetings)
    .output(SearchResults)
    .query(({ ctx, input }) => searchMeetings(ctx.db, visibleTo(ctx.caller), input, ctx.similarity)),
};

/** `/v1/workspace/meetings.*` */
export const workspaceMeetings = {
  list: company
    .input(ListWorkspaceMeetings)
    .output(MeetingPage)
    .query(({ ctx, input }) => listMeetings(ctx.db, ofWorkspace(ctx.caller, input.userEmail), input)),
  get: company
    .input(MeetingRef)
    .output(MeetingDetail)
    .query(({ ctx, input }) => getMeeting(ctx.db, ofWorkspace(ctx.caller), input.meetingId)),
  delete: company
    .input(MeetingRef)
    .output(DeletedMeeting)
    .mutation(({ ctx, input }) =>
      deleteMeeting(
        ctx.db,
        { scope: ofWorkspace(ctx.caller), refusal: MESSAGES.notInWorkspace, actor: ctx.caller.keyId },
        input.meetingId,
      ),
    ),
};
