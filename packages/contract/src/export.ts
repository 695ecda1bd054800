import { z } from "zod";
import { RESPONSE_STATUSES } from "./import.js";
import { InstantInput } from "./instants.js";
import { PLANS } from "./limits.js";

/**
 * An export: one JSON object per line, each of a kind, in an order in which each can be stored by itself. It is the
 * only input that brings its own ids, so what it says was checked when it first came in.
 */

const text = z.string();
/** An id that was made here. Files are named after some of them, so that one must not lead out of its folder. */
const OwnId = text.regex(/^[a-z]+_[0-9A-Za-z]{1,64}$/, "must be an id that an export has");
const Maybe = text.nullable();

export const ExportHead = z.strictObject({
  kind: z.literal("minutes-export"),
  version: z.literal(1),
  /** Everybody who follows: a database with others in it is not empty. */
  userIds: z.array(text),
});

export const ExportedWorkspace = z.strictObject({
  kind: z.literal("workspace"),
  id: OwnId,
  name: text,
  plan: z.enum(PLANS),
  /** Terms of the team. */
  terms: z.array(text),
});

export const ExportedUser = z.strictObject({
  kind: z.literal("user"),
  id: OwnId,
  email: text,
  name: text,
  workspaceId: text,
  role: z.enum(["admin", "member"]),
  /** The user's own terms. */
  terms: z.array(text),
});

export const ExportedTag = z.strictObject({
  kind: z.literal("tag"),
  id: OwnId,
  userId: text,
  name: text,
  color: text,
  /** Ids of users who are in the export. */
  sharedWith: z.array(text),
});

export const ExportedMeeting = z.strictObject({
  kind: z.literal("meeting"),
  id: OwnId,
  externalId: Maybe,
  /** Where it was recorded; null when that is not in the export. */
  workspaceId: Maybe,
  userId: text,
  /** Hashes that tell a recorder's repeat, in base 64. */
  startHash: Maybe,
  contentHash: Maybe,
  createdAt: InstantInput,
  title: text,
  generatedTitle: Maybe,
  startTime: InstantInput,
  endTime: InstantInput.nullable(),
  calendarEvent: z
    .strictObject({
      id: OwnId,
      externalId: Maybe,
      title: Maybe,
      scheduledTime: InstantInput.nullable(),
      endTime: InstantInput.nullable(),
      attendees: z.array(
        z.strictObject({
          name: text,
          email: text,
          responseStatus: z.enum(RESPONSE_STATUSES).nullable(),
          organizer: z.boolean(),
        }),
      ),
    })
    .nullable(),
  participants: z.array(z.strictObject({ id: text, name: text, email: Maybe })),
  segments: z.array(
    z.strictObject({
      speakerId: text,
      text,
      startSeconds: z.number().nullable(),
      endSeconds: z.number().nullable(),
    }),
  ),
  /** Null also for a locked one. */
  summary: z.strictObject({ markdown: text, short: text }).nullable(),
  tasks: z.array(
    z.strictObject({
      id: OwnId,
      text,
      completed: z.boolean(),
      assigneeId: Maybe,
      assigneeName: Maybe,
      assigneeEmail: Maybe,
      createdAt: InstantInput,
    }),
  ),
  tagIds: z.array(text),
  sharedWith: z.array(text),
});
export type ExportedMeeting = z.output<typeof ExportedMeeting>;

/** A deleted meeting, so that a recorder's repeat does not bring it back. */
export const ExportedTombstone = z.strictObject({
  kind: z.literal("deleted"),
  id: OwnId,
  externalId: Maybe,
  workspaceId: Maybe,
});

export const ExportRecord = z.discriminatedUnion("kind", [
  ExportHead,
  ExportedWorkspace,
  ExportedUser,
  ExportedTag,
  ExportedMeeting,
  ExportedTombstone,
]);
export type ExportRecord = z.output<typeof ExportRecord>;
