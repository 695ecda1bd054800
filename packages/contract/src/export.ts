import { z } from "zod";
import { RESPONSE_STATUSES } from "./import.js";
import { InstantInput } from "./instants.js";
import { PLANS } from "./limits.js";

/**
 * An export: one JSON object a line, each with a kind, ordered so that each line can be stored after those before it.
 * No other input brings its own ids.
 */

const text = z.string();
/** An id of this service. Some files are named after ids, so an id must not contain a path. */
const OwnId = text.regex(/^[a-z]+_[0-9A-Za-z]{1,64}$/, "must be an id that an export has");
const Maybe = text.nullable();

export const ExportHead = z.strictObject({
  kind: z.literal("minutes-export"),
  version: z.literal(1),
  /** Ids of all users in the export. A database with other users does not count as empty. */
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
  /** Ids of users in the export. */
  sharedWith: z.array(text),
});

export const ExportedMeeting = z.strictObject({
  kind: z.literal("meeting"),
  id: OwnId,
  externalId: Maybe,
  /** The workspace of the recording; null if it is not in the export. */
  workspaceId: Maybe,
  userId: text,
  /** Hashes by which a repeated call is recognised, in base 64. */
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
  /** Null for a locked summary too. */
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

/** A deleted meeting, so that a repeated import does not bring it back. */
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
