import { z } from "zod";
import { InstantOut } from "./instants.js";
import { LIMITS } from "./limits.js";
import { MeetingDetail } from "./meeting-detail.js";
import { MeetingListItem, Page } from "./meetings.js";
import { MESSAGES } from "./messages.js";
import { createFieldRefusal, createRefusal, type ProcedureReferences } from "./procedure.js";
import { Tag } from "./tags.js";
import { TaskListItem } from "./tasks.js";

/** Parameters of `changes.list`. */
export const ListChanges = z
  .strictObject({
    cursor: z
      .string()
      .max(LIMITS.syncCursorMax)
      .optional()
      .describe("`nextCursor` of the page before; opaque. Absent: everything, and then the feed."),
    limit: Page.limit.describe("How many changes to return at most, 1 to 100; 50 when absent."),
    wait: z
      .int()
      .min(1)
      .max(LIMITS.syncWaitMax)
      .optional()
      .describe("Seconds to wait for a change where there is none yet, 1 to 30; not at all when absent."),
    include: z
      .array(z.enum(["detail"]))
      .min(1)
      .max(1)
      .optional()
      .describe(
        '`["detail"]`: changes of meetings have everything that `meetings.get` has. The same for all pages.',
      ),
  })
  .prefault({})
  .meta({ id: "ListChanges" });

const updatedAt = InstantOut.describe("When it was last stored: ISO 8601, UTC, milliseconds.");
const { user, summary, transcript, participants, tasks, tags, event } = MeetingDetail.shape;

export const SyncedMeeting = MeetingListItem.extend({
  updatedAt,
  user: user.optional().describe("Who recorded the meeting; with the detail only."),
  summary: summary.optional().describe("What the meeting was about; with the detail only."),
  transcript: transcript.optional().describe("Whole transcript as Markdown; with the detail only."),
  participants: participants.optional().describe("People who spoke; with the detail only."),
  tasks: tasks.optional().describe("Action items of the meeting; with the detail only."),
  tags: tags.optional().describe("Labels applied to the meeting; with the detail only."),
  event: event.optional().describe("Calendar event data; with the detail only."),
}).meta({
  id: "SyncedMeeting",
  description: "A meeting as lists return it, with its detail where that was asked for.",
});
export type SyncedMeeting = z.infer<typeof SyncedMeeting>;

export const SyncedTask = TaskListItem.extend({ updatedAt }).meta({
  id: "SyncedTask",
  description: "A task as lists return it.",
});
export const SyncedTag = Tag.extend({ updatedAt }).meta({
  id: "SyncedTag",
  description: "A tag as lists return it.",
});

const op = z.literal("upsert").describe("It is new, or has changed.");
const id = z.string().describe("ID of the meeting, task or tag.");

export const Change = z
  .union([
    z
      .object({
        type: z.literal("meeting").describe("A meeting."),
        id,
        op,
        data: SyncedMeeting.describe("The meeting as it is now."),
      })
      .meta({ id: "MeetingUpsert", description: "A meeting that is new, or has changed." }),
    z
      .object({
        type: z.literal("task").describe("A task."),
        id,
        op,
        data: SyncedTask.describe("The task as it is now."),
      })
      .meta({ id: "TaskUpsert", description: "A task that is new, or has changed." }),
    z
      .object({
        type: z.literal("tag").describe("A tag."),
        id,
        op,
        data: SyncedTag.describe("The tag as it is now."),
      })
      .meta({ id: "TagUpsert", description: "A tag that is new, or has changed." }),
    z
      .object({
        type: z.enum(["meeting", "task", "tag"]).describe("What it was."),
        id,
        op: z.literal("removed").describe("Remove it from the copy."),
        reason: z
          .enum(["deleted", "access"])
          .describe("`deleted`: it is gone. `access`: the caller can't see it any more."),
      })
      .meta({ id: "Removal", description: "Something that the caller can't see any more." }),
  ])
  .describe("One change; apply them in order.");
export type Change = z.infer<typeof Change>;

export const ChangePage = z
  .object({
    changes: z.array(Change).describe("The changes of this page, in the order of their transactions."),
    nextCursor: z.string().describe("Pass as `cursor` for what follows. Keep it once the page is stored."),
    hasMore: z.boolean().describe("True: the next page has something already."),
  })
  .meta({ id: "ChangePage", description: "One page of changes." });
export type ChangePage = z.infer<typeof ChangePage>;

const REFUSALS = [
  ...["limit", "cursor", "wait", "include"].map(createFieldRefusal),
  createRefusal(400, MESSAGES.syncOtherInclude),
  createRefusal(410, MESSAGES.syncAgain),
  createRefusal(429, MESSAGES.tooManyWaits),
];
const FEED =
  "Without a cursor the pages begin with everything that there is. With the last cursor they have what changed " +
  "since: its present state, or that it is gone or out of reach. Nothing is skipped, whatever commits meanwhile.";

/** What is said about `changes.*`. */
export const SYNC_PROCEDURES = {
  "me/changes.list": {
    summary: "List changes of all that the caller sees",
    description: `Own and shared meetings, their tasks, and tags. ${FEED}`,
    example: { limit: 20 },
    refusals: REFUSALS,
    addition: true,
  },
  "workspace/changes.list": {
    summary: "List changes of all that the workspace sees",
    description: `Meetings of all current members and their tasks. ${FEED}`,
    example: { limit: 20 },
    refusals: REFUSALS,
    addition: true,
  },
} as const satisfies ProcedureReferences;
