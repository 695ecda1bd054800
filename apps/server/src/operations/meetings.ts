import { MeetingImport } from "@minutes/contract";
import { importMeeting } from "@minutes/core";
import { operation } from "./operation.js";

export const meetingOperations = {
  "meetings.import": operation(MeetingImport, ({ db }, meeting) => importMeeting(db, meeting)),
};
