import { z } from "zod";
import type { AuditAction } from "./audit-actions.js";
import { MESSAGES, staleVersion } from "./messages.js";
import { createFieldRefusal, createRefusal, type Refusal } from "./operation.js";

/** The version that an edit is based on. */
export const baseVersion = z.int().min(1).describe("The meeting's version that the caller saw.");

export const versionOut = z.int().describe("The meeting's version after the edit: the base of the next one.");

/** Answer of an edit. An edit that changes nothing keeps the version. */
export const EditedMeeting = z
  .object({ meetingId: z.string().describe("The meeting's `id`."), version: versionOut })
  .meta({ id: "EditedMeeting", description: "The meeting's version after an edit." });
export type EditedMeeting = z.infer<typeof EditedMeeting>;

/** What `baseVersion` means. */
export const BASE_VERSION =
  "`baseVersion` is the version that the caller saw; if the meeting has changed since, the answer is 409 and says what " +
  "changed.";
/** The refusal of an edit based on an earlier version. */
export const STALE_VERSION = createRefusal(409, staleVersion(3, 5, ["summary", "tasks"]));

/**
 * Says which meetings each kind of caller can edit, as a whole or by one of its tasks.
 * @param audit what the audit log calls it if the operator does it
 */
export const forEditors = (
  of: "meeting" | "task",
  audit: AuditAction,
  summary: string,
  description: string,
  ...refusals: readonly Refusal[]
) => {
  const listFor = (message: string) =>
    of === "meeting"
      ? [
          createFieldRefusal("meetingId"),
          createRefusal(403, message),
          createRefusal(404, MESSAGES.meetingNotFound),
          ...refusals,
        ]
      : [createFieldRefusal("taskId"), createRefusal(404, MESSAGES.taskNotWritable), ...refusals];
  return {
    callers: ["user", "workspace"],
    operator: { ownerOf: of === "meeting" ? "meetingId" : "taskId", audit },
    summary: { user: summary, workspace: `${summary} of the workspace` },
    description: {
      user: `${description} Only meetings that the caller owns.`,
      workspace: `${description} Any meeting of a current member.`,
    },
    refuses: {
      user: listFor(MESSAGES.notYourMeetingToEdit),
      workspace: listFor(MESSAGES.notInWorkspace),
    },
  } as const;
};
