import { z } from "zod";
import { InstantOut } from "./instants.js";
import { LIMITS } from "./limits.js";
import { MeetingRef } from "./meetings.js";
import { MESSAGES } from "./messages.js";
import { createRefusal, mutation, NoInput, query, Success } from "./operation.js";
import { ShareReader } from "./sharing.js";
import { Id } from "./text.js";

const AccessRequests = z.object({
  requests: z
    .array(
      z.object({
        meetingId: z.string().describe("The meeting's ID."),
        title: z.string().describe("The meeting's title."),
        user: ShareReader.describe("The member who asks."),
        createdAt: InstantOut.describe("When they asked."),
      }),
    )
    .describe(`The open requests, newest first; at most ${LIMITS.accessRequestsListed}.`),
});
export type AccessRequests = z.infer<typeof AccessRequests>;

const OWN = { callers: ["user"], session: true } as const;
const MEETING = { meetingId: "mtg_example" };

export const listAccessRequests = query("accessRequests.list", {
  ...OWN,
  input: NoInput,
  output: AccessRequests,
  summary: "List requests for access",
  description:
    "Members who ask to read the caller's meetings. `meetings.share` grants a request, `accessRequests.dismiss` ends it without telling them.",
  example: {},
  refuses: [],
});

export const createAccessRequest = mutation("accessRequests.create", {
  ...OWN,
  input: MeetingRef,
  output: Success,
  summary: "Ask for access to a meeting",
  description:
    "Asks the owner to share a meeting. Succeeds for every ID, so that the caller learns nothing about meetings they can't read: only the owner of a meeting in the caller's workspace gets the request, once per person and meeting, for 14 days.",
  example: MEETING,
  refuses: [createRefusal(429, MESSAGES.tooManyAccessRequests)],
});

export const dismissAccessRequest = mutation("accessRequests.dismiss", {
  ...OWN,
  input: MeetingRef.extend({ userId: Id.describe("The `userId` of the member who asks.") }),
  output: Success,
  summary: "Dismiss a request for access",
  description:
    "Removes a request from the list without telling the member, whose further requests for the meeting have no effect for 14 days; for the meeting's owner. Repeating it is a no-op.",
  example: { ...MEETING, userId: "usr_example" },
  refuses: [createRefusal(404, MESSAGES.meetingNotFound), createRefusal(403, MESSAGES.noMeetingAccess)],
});
