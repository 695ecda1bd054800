import * as contract from "@minutes/contract";
import type { SimilaritySearch } from "@minutes/search";
import { narrowedTo, ownedByMembers, readableBy, visibleTo } from "../access/index.js";
import { implement } from "../api/index.js";
import { browseMeetings, findMeetings } from "./browse.js";
import { deleteMeeting } from "./delete.js";
import { getMeeting, getMeetingToEdit } from "./get.js";
import { listMeetings } from "./list.js";
import { readSearchProgress, searchMeetings, searchMeetingsInDetail } from "./search.js";
import { getTranscript } from "./transcript.js";

declare module "../api/index.js" {
  interface Services {
    /** Semantic search; undefined if search uses words alone. */
    readonly similarity?: SimilaritySearch | undefined;
  }
}

const common = {
  get: implement(contract.getMeeting, ({ db, caller, input }) =>
    getMeeting(db, readableBy(caller), input.meetingId),
  ),
  delete: implement(contract.deleteMeeting, ({ db, caller, input }) =>
    deleteMeeting(db, caller, input.meetingId),
  ),
};

/** A meeting's transcript, turn by turn. */
export const meetingTranscript = {
  transcript: implement(contract.getTranscript, ({ db, caller, input }) =>
    getTranscript(db, readableBy(caller), input.meetingId),
  ),
};

/** `/v1/me/meetings.*` */
export const myMeetings = {
  ...common,
  list: implement(contract.listMyMeetings, ({ db, caller, input }) =>
    listMeetings(db, visibleTo(caller, input.tag), input),
  ),
  search: implement(contract.searchMeetings, ({ db, caller, services, input }) =>
    searchMeetings(db, visibleTo(caller), input, services.similarity),
  ),
};

/** `/rest/v1/me/meetings` and `/rest/v1/me/search` */
export const myRestMeetings = {
  ...myMeetings,
  search: implement(contract.searchByText, ({ db, caller, services, input: { q: query, ...range } }) =>
    searchMeetings(db, visibleTo(caller), { query, ...range }, services.similarity),
  ),
  ...meetingTranscript,
};

/** The meetings of the console and assistants: with all facts, detailed search and the transcript turn by turn. */
export const consoleMeetings = {
  ...myMeetings,
  get: implement(contract.getMeetingToEdit, ({ db, caller, services, input }) =>
    getMeetingToEdit(db, caller, input.meetingId, services.keptAudio !== null),
  ),
  browse: implement(contract.browseMeetings, ({ db, caller, input }) => browseMeetings(db, caller, input)),
  find: implement(contract.findMeetings, ({ db, caller, input }) => findMeetings(db, caller, input)),
  search: implement(
    contract.searchMeetingsInDetail,
    ({ db, caller, services, input: { tag, whose, ...input } }) =>
      searchMeetingsInDetail(db, narrowedTo(caller, { tag, whose }), input, services.similarity),
  ),
  searchProgress: implement(contract.readSearchProgress, ({ db, caller, services }) =>
    readSearchProgress(db, visibleTo(caller), services.similarity),
  ),
  ...meetingTranscript,
};

/** `/v1/workspace/meetings.*` */
export const workspaceMeetings = {
  ...common,
  list: implement(contract.listWorkspaceMeetings, ({ db, caller, input }) =>
    listMeetings(db, ownedByMembers(caller, input.userEmail), input),
  ),
};

/** `/rest/v1/workspace/meetings` */
export const workspaceRestMeetings = { ...workspaceMeetings, ...meetingTranscript };
