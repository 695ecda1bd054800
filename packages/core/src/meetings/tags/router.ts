import * as contract from "@minutes/contract";
import { implement } from "../../api/index.js";
import { getTag, listOwnTags, listTags } from "./list.js";
import { createTag, deleteTag, renameTag, tagMeeting, untagMeeting } from "./manage.js";
import { updateMeetingTags } from "./update-meeting-tags.js";

/** `/v1/me/tags.*` */
export const v1Tags = {
  list: implement(contract.listTags, ({ db, caller }) => listTags(db, caller)),
};

/** What users do with the tags they see. */
export const myTags = {
  ...v1Tags,
};

/** A user's own tags. */
export const ownTags = {
  list: implement(contract.listOwnTags, ({ db, caller }) => listOwnTags(db, caller)),
  get: implement(contract.getTag, ({ db, caller, input }) => getTag(db, caller, input.tagId)),
  create: implement(contract.createTag, ({ db, caller, input }) => createTag(db, caller, input)),
  update: implement(contract.updateTag, ({ db, caller, input }) =>
    renameTag(db, caller, input.tagId, input.name),
  ),
  delete: implement(contract.deleteTag, ({ db, caller, input }) => deleteTag(db, caller, input.tagId)),
};

/** What keys and assistants do with the tags of a meeting. */
export const ownMeetingTags = {
  updateTags: implement(contract.updateMeetingTags, ({ db, caller, input }) =>
    updateMeetingTags(db, caller, input),
  ),
};

export const meetingTagging = {
  tag: implement(contract.tagMeeting, ({ db, caller, input }) =>
    tagMeeting(db, caller, input.meetingId, input.name),
  ),
  untag: implement(contract.untagMeeting, ({ db, caller, input }) =>
    untagMeeting(db, caller, input.meetingId, input.tagId),
  ),
};
