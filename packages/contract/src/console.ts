import { z } from "zod";
import { LIMITS } from "./limits.js";
import { MeetingTag } from "./meeting-detail.js";
import {
  ListMyMeetings,
  MeetingListItem,
  meetingRange,
  NextCursor,
  PersonName,
  TagName,
  Whose,
} from "./meetings.js";
import { trimmedText } from "./text.js";

/** Parameters of the console's `meetings.browse`. */
export const BrowseMeetings = ListMyMeetings.unwrap().extend({ whose: Whose }).meta({ id: "BrowseMeetings" });
export type BrowseMeetings = z.output<typeof BrowseMeetings>;

/** Parameters of the console's `meetings.find`. */
export const FindMeetings = z
  .strictObject({
    text: trimmedText(1, LIMITS.searchQueryMax).optional().describe("A part of a title or of a name."),
    person: PersonName,
    ...meetingRange,
    tag: TagName,
    whose: Whose,
    order: z.enum(["newest", "oldest"]).default("newest").describe("Which meetings come first, by start."),
  })
  .meta({ id: "FindMeetings" });
export type FindMeetings = z.output<typeof FindMeetings>;

/** A meeting as the console lists it. */
export const MeetingOverview = MeetingListItem.extend({
  owner: z.string().describe("Name of the user who recorded the meeting."),
  people: z.array(z.string()).describe("Names of up to five people who spoke."),
  peopleCount: z.int().describe("Number of people who spoke."),
  tags: z.array(MeetingTag).describe("Tags on the meeting."),
  openTasks: z.int().describe("Number of tasks that are not completed."),
  locked: z.boolean().describe("True while the plan's limits lock the summary."),
  shared: z.boolean().describe("True if somebody other than its owner can read the meeting."),
}).meta({ id: "MeetingOverview", description: "A meeting, as the console lists it." });
export type MeetingOverview = z.infer<typeof MeetingOverview>;

/** Payload of the console's `meetings.browse`. */
export const MeetingOverviewPage = z
  .object({
    meetings: z.array(MeetingOverview).describe("The meetings of this page, newest start first."),
    nextCursor: NextCursor,
  })
  .meta({ id: "MeetingOverviewPage", description: "One page of meetings, as the console lists them." });
export type MeetingOverviewPage = z.infer<typeof MeetingOverviewPage>;

/** Payload of the console's `meetings.find`. */
export const FoundMeetings = z
  .object({
    meetings: z
      .array(MeetingOverview)
      .describe("At most ten meetings, newest start first unless asked otherwise."),
  })
  .meta({ id: "FoundMeetings", description: "Meetings found by title, person, tag or date." });
