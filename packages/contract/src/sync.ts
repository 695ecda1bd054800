import { z } from "zod";
import { InstantOut } from "./instants.js";
import { LIMITS } from "./limits.js";
import { MeetingDetail } from "./meeting-detail.js";
import { MeetingListItem, Page } from "./meetings.js";
import { MESSAGES } from "./messages.js";
import { createFieldRefusal, createRefusal, query } from "./operation.js";
import { Tag } from "./tags.js";
import { TaskListItem, TaskWithDue } from "./tasks.js";

/** Parameters of `changes.list`. */
export const ListChanges = z
  .strictObject({
    cursor: z
      .string()
      .max(LIMITS.syncCursorMax)
      .optional()
      .describe(
        "Opaque `nextCursor` of the previous page. Absent: starts with everything, then follows changes.",
      ),
    limit: Page.limit.describe("Maximum number of changes to return, 1 to 100; 50 when absent."),
    wait: z
      .int()
      .min(1)
      .max(LIMITS.syncWaitMax)
      .optional()
      .describe("Seconds to wait for a change if there is none yet, 1 to 30; does not wait when absent."),
    include: z
      .array(z.enum(["detail"]))
      .min(1)
      .max(1)
      .optional()
      .describe(
        '`["detail"]`: changes of meetings include everything that `meetings.get` returns. Must be the same for all pages.',
      ),
  })
  .prefault({})
  .meta({ id: "ListChanges" });

const updatedAt = InstantOut.describe("When it was last stored: ISO 8601, UTC, milliseconds.");
const { user, summary, transcript, participants, tasks, tags, event } = MeetingDetail.shape;

export const SyncedMeeting = MeetingListItem.extend({
  updatedAt,
  user: user.optional().describe("Who recorded the meeting; only with detail."),
  summary: summary.optional().describe("What the meeting was about; only with detail."),
  transcript: transcript.optional().describe("The whole transcript in Markdown; only with detail."),
  participants: participants.optional().describe("People who spoke; only with detail."),
  tasks: tasks.optional().describe("Action items of the meeting; only with detail."),
  tags: tags.optional().describe("Labels applied to the meeting; only with detail."),
  event: event.optional().describe("Calendar event data; only with detail."),
}).meta({
  id: "SyncedMeeting",
  description: "A meeting in the format of lists, with its details if requested.",
});
export type SyncedMeeting = z.infer<typeof SyncedMeeting>;

export const SyncedTask = TaskListItem.extend({ due: TaskWithDue.shape.due, updatedAt }).meta({
  id: "SyncedTask",
  description: "A task in the format of lists, with its due date.",
});
export const SyncedTag = Tag.extend({ updatedAt }).meta({
  id: "SyncedTag",
  description: "A tag in the format of lists.",
});

const op = z.literal("upsert").describe("The object is new or has changed.");
const id = z.string().describe("ID of the meeting, task or tag.");

export const Change = z
  .union([
    z
      .object({
        type: z.literal("meeting").describe("A meeting."),
        id,
        op,
        data: SyncedMeeting.describe("The current meeting."),
      })
      .meta({ id: "MeetingUpsert", description: "A new or changed meeting." }),
    z
      .object({
        type: z.literal("task").describe("A task."),
        id,
        op,
        data: SyncedTask.describe("The current task."),
      })
      .meta({ id: "TaskUpsert", description: "A new or changed task." }),
    z
      .object({
        type: z.literal("tag").describe("A tag."),
        id,
        op,
        data: SyncedTag.describe("The current tag."),
      })
      .meta({ id: "TagUpsert", description: "A new or changed tag." }),
    z
      .object({
        type: z.enum(["meeting", "task", "tag"]).describe("The kind of object."),
        id,
        op: z.literal("removed").describe("Remove it from the copy."),
        reason: z
          .enum(["deleted", "access"])
          .describe("`deleted`: it was deleted. `access`: the caller lost access."),
      })
      .meta({ id: "Removal", description: "An object that the caller can no longer see." }),
  ])
  .describe("One change. Apply changes in order.");
export type Change = z.infer<typeof Change>;

export const ChangePage = z
  .object({
    changes: z.array(Change).describe("The changes of this page, in transaction order."),
    nextCursor: z
      .string()
      .describe("Pass it as `cursor` to get what follows. Save it once the page is stored."),
    hasMore: z.boolean().describe("True if the next page already has changes."),
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
  "Without a cursor, the first pages return everything. With the last cursor, they return what changed " +
  "since: the current state, or that it was deleted or is no longer accessible. No concurrent commit is missed.";

export const listChanges = query("changes.list", {
  callers: ["user", "workspace"],
  rest: { at: "GET /changes", id: "getChanges" },
  input: ListChanges,
  output: ChangePage,
  summary: {
    user: "List changes of everything the caller can see",
    workspace: "List changes of everything the workspace can see",
  },
  description: {
    user: `Own and shared meetings, their tasks, and tags. ${FEED}`,
    workspace: `Meetings of all current members and their tasks. ${FEED}`,
  },
  example: { limit: 20 },
  refuses: REFUSALS,
});
