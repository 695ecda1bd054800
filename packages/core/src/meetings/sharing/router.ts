import * as contract from "@minutes/contract";
import { implement } from "../../api/index.js";
import { createAccessRequest, dismissAccessRequest, listAccessRequests } from "./access-requests.js";
import { listMeetingReaders, listMeetingShares, listShares } from "./list.js";
import { findReader, shareMeeting, shareTag, unshareMeeting, unshareTag } from "./share.js";

/** Who can read meetings. */
export const shares = {
  list: implement(contract.listMeetingShares, ({ db, caller, input }) =>
    listMeetingShares(db, caller, input.meetingId),
  ),
  readers: implement(contract.listMeetingReaders, ({ db, caller, input }) =>
    listMeetingReaders(db, caller, input.meetingId),
  ),
};

/** Members' requests to read meetings of others. */
export const accessRequests = {
  list: implement(contract.listAccessRequests, ({ db, caller }) => listAccessRequests(db, caller.userId)),
  create: implement(contract.createAccessRequest, ({ db, caller, input }) =>
    createAccessRequest(db, caller, input.meetingId),
  ),
  dismiss: implement(contract.dismissAccessRequest, ({ db, caller, input }) =>
    dismissAccessRequest(db, caller, input),
  ),
};

/** The operator's list of shares. */
export const sharesOf = {
  listOf: implement(contract.listShares, ({ db, caller, input }) => listShares(db, caller, input.of)),
};

export const meetingSharing = {
  share: implement(contract.shareMeeting, async ({ db, caller, input: { meetingId, email } }) =>
    shareMeeting(db, caller, meetingId, (await findReader(db, caller, email)).userId),
  ),
  unshare: implement(contract.unshareMeeting, async ({ db, caller, input: { meetingId, email } }) =>
    unshareMeeting(db, caller, meetingId, (await findReader(db, caller, email)).userId),
  ),
};

export const tagSharing = {
  share: implement(contract.shareTag, async ({ db, caller, input: { tagId, email } }) =>
    shareTag(db, caller, tagId, (await findReader(db, caller, email)).userId),
  ),
  unshare: implement(contract.unshareTag, async ({ db, caller, input: { tagId, email } }) =>
    unshareTag(db, caller, tagId, (await findReader(db, caller, email)).userId),
  ),
};
