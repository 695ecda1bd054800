import { z } from "zod";
import { meetingFacts } from "./import.js";
import { LIMITS } from "./limits.js";
import { MeetingTag, MeetingToEdit } from "./meeting-detail.js";
import {
  getMeeting,
  ListMyMeetings,
  listMyMeetings,
  MeetingListItem,
  meetingRange,
  NextCursor,
  PersonName,
  TagName,
  Whose,
} from "./meetings.js";
import { NoInput, query } from "./operation.js";
import { DetailedSearchResults, SearchMeetingsInDetail, SearchProgress, searchMeetings } from "./search.js";
import { ChangePage, ListChanges, listChanges } from "./sync.js";
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
    limit: z
      .int()
      .min(1)
      .max(LIMITS.pageSizeMax)
      .default(10)
      .describe("Maximum number of meetings; 10 when absent."),
    order: z.enum(["newest", "oldest"]).default("newest").describe("Which meetings come first, by start."),
  })
  .meta({ id: "FindMeetings" });
export type FindMeetings = z.output<typeof FindMeetings>;

/** A meeting as the console lists it. */
export const MeetingOverview = MeetingListItem.extend({
  owner: z.string().describe("Name of the user who recorded the meeting."),
  startPrecision: z
    .string()
    .nullable()
    .describe(meetingFacts.startPrecision.description ?? ""),
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
    meetings: z.array(MeetingOverview).describe("The meetings, newest start first unless asked otherwise."),
  })
  .meta({ id: "FoundMeetings", description: "Meetings found by title, person, tag or date." });

/** `meetings.get` for the console and assistants: with all facts, and the version that an edit is based on. */
export const getMeetingToEdit = query("meetings.get", {
  ...getMeeting,
  callers: ["user"],
  v1: undefined,
  rest: undefined,
  output: MeetingToEdit,
});

/** `meetings.search` for the console and assistants: with turns, and filters by tag, person and owner. */
export const searchMeetingsInDetail = query("meetings.search", {
  ...searchMeetings,
  v1: undefined,
  input: SearchMeetingsInDetail,
  output: DetailedSearchResults,
});

export const browseMeetings = query("meetings.browse", {
  callers: ["user"],
  input: BrowseMeetings,
  output: MeetingOverviewPage,
  summary: "List meetings with people, tags and tasks",
  description: "Own and shared meetings as the console lists them; latest start first, in pages.",
  example: {},
  refuses: listMyMeetings.refuses,
});

export const findMeetings = query("meetings.find", {
  callers: ["user"],
  input: FindMeetings,
  output: FoundMeetings,
  summary: "Find meetings by title, person, tag or date",
  description: "Own and shared meetings.",
  example: {},
  refuses: [],
});

/** Parameters of the console's `changes.follow`. */
export const FollowChanges = ListChanges.unwrap()
  .pick({ cursor: true, wait: true })
  .extend({
    cursor: ListChanges.unwrap().shape.cursor.describe(
      "`nextCursor` of the previous answer. Absent: begins now.",
    ),
  })
  .prefault({})
  .meta({ id: "FollowChanges" });

/** Answer of the console's `changes.follow`. */
export const FollowedChanges = z
  .object({
    changed: z
      .array(z.enum(["meeting", "task", "tag"]))
      .describe("Kinds of what has changed; empty after the wait."),
    nextCursor: ChangePage.shape.nextCursor,
  })
  .meta({ id: "FollowedChanges", description: "What has changed, for a page that is open." });
export type FollowedChanges = z.infer<typeof FollowedChanges>;

export const followChanges = query("changes.follow", {
  callers: ["user"],
  session: true,
  input: FollowChanges,
  output: FollowedChanges,
  summary: "Wait for changes",
  description:
    "Says what has changed since a cursor, so that an open page reads it again. Without a cursor it begins now.",
  example: {},
  refuses: listChanges.refuses,
});

export const readSearchProgress = query("meetings.searchProgress", {
  callers: ["user"],
  input: NoInput,
  output: SearchProgress,
  summary: "Tell how far search by meaning is",
  description: "How many of the caller's own and shared meetings the model has yet to encode.",
  example: {},
  refuses: [],
});
