import * as contract from "@minutes/contract";
import { implement } from "../../api/index.js";
import { getHold, holdMeeting, releaseMeeting } from "./holds.js";
import { deleteRetentionRule, listRetentionRules, previewRetention, setRetentionRule } from "./rules.js";

/** How long the workspace keeps its meetings, for admins; holds also for the meeting's owner. */
export const retention = {
  list: implement(contract.listRetentionRules, ({ db, caller }) => listRetentionRules(db, caller)),
  set: implement(contract.setRetentionRule, ({ db, caller, input }) => setRetentionRule(db, caller, input)),
  delete: implement(contract.deleteRetentionRule, ({ db, caller, input }) =>
    deleteRetentionRule(db, caller, input.ruleId),
  ),
  preview: implement(contract.previewRetention, ({ db, caller, input }) =>
    previewRetention(db, caller, input),
  ),
  getHold: implement(contract.getHold, ({ db, caller, input }) => getHold(db, caller, input.meetingId)),
  hold: implement(contract.holdMeeting, ({ db, caller, input }) => holdMeeting(db, caller, input.meetingId)),
  release: implement(contract.releaseMeeting, ({ db, caller, input }) =>
    releaseMeeting(db, caller, input.meetingId),
  ),
};
