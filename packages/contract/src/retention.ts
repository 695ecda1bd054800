import { z } from "zod";
import { InstantOut } from "./instants.js";
import { LIMITS } from "./limits.js";
import { MeetingRef } from "./meetings.js";
import { MESSAGES } from "./messages.js";
import { createRefusal, mutation, NoInput, query, Success } from "./operation.js";
import { Id, trimmedText } from "./text.js";

const days = z
  .int()
  .min(1)
  .max(LIMITS.retentionDaysMax)
  .describe("Days after its start for which a meeting is kept, 1 to 36,500.");
const tag = trimmedText(1, LIMITS.tagNameMax).describe(
  "Name of members' tags. Absent: meetings whose tags have no rule.",
);

/** Parameters of `retention.*`. @see docs/decisions/0340-retention.md */
export const RetentionInput = {
  rule: z.strictObject({ tag: tag.optional(), days }),
  /** A rule to try; without `days`, the present rules. */
  preview: z
    .strictObject({
      tag: tag.optional(),
      days: days.optional().describe("Counts as if this rule were set. Absent: the present rules."),
    })
    .prefault({}),
  ruleRef: z.strictObject({ ruleId: Id.describe("The rule's `id`.") }),
};

const nextRunAt = InstantOut.describe(
  "When the next run deletes meetings: an hour after the last one, a day after a change of the rules.",
);
export const RetentionRule = z
  .object({
    id: z.string().describe("The rule's `ruleId`."),
    tag: z.string().nullable().describe("Name of members' tags; null: meetings whose tags have no rule."),
    days: z.int().describe("Days after its start for which a meeting is kept."),
    createdAt: InstantOut.describe("When it was first set."),
    nextRunAt,
  })
  .meta({ id: "RetentionRule", description: "How long the workspace keeps its meetings." });
export type RetentionRule = z.infer<typeof RetentionRule>;

export const RetentionRules = z.object({
  rules: z.array(RetentionRule).describe("The rule for all meetings first, then those for tags by name."),
});

export const RetentionPreview = z
  .object({
    meetings: z.int().describe("Number of meetings older than their rule allows, which runs will delete."),
    held: z.int().describe("Number of such meetings that are kept because they are on hold."),
    unusedTags: z
      .array(z.string())
      .describe("Tags of these rules that no member has: their rules keep and delete nothing."),
    nextRunAt: nextRunAt.nullable().describe("When the next run is due; null without rules."),
  })
  .meta({ id: "RetentionPreview", description: "What retention would delete now. It changes nothing." });
export type RetentionPreview = z.infer<typeof RetentionPreview>;

export const MeetingHold = z
  .object({
    held: z.boolean().describe("True: no retention rule deletes the meeting."),
    mayRelease: z.boolean().describe("False: only an admin can release it."),
  })
  .meta({ id: "MeetingHold", description: "Whether a meeting is on hold." });
export type MeetingHold = z.infer<typeof MeetingHold>;

const ADMINS = createRefusal(403, MESSAGES.onlyAdmins);
const MEETING = { meetingId: "mtg_example" };
const NO_MEETING = createRefusal(404, MESSAGES.meetingNotFound);
const OF_WORKSPACE = { callers: ["user", "workspace"], session: true, operator: {} } as const;
const MANAGED = { callers: ["user", "operator"], session: true } as const;
const OF_MEETING = { ...MANAGED, input: MeetingRef, example: MEETING };

export const listRetentionRules = query("retention.list", {
  ...OF_WORKSPACE,
  rest: { at: "GET /retention/rules", id: "listRetentionRules" },
  input: NoInput,
  output: RetentionRules,
  summary: "List retention rules",
  description: "How long the workspace keeps its meetings; for admins.",
  example: {},
  refuses: [ADMINS],
});

export const setRetentionRule = mutation("retention.set", {
  ...OF_WORKSPACE,
  rest: { at: "PUT /retention/rules", id: "setRetentionRule" },
  input: RetentionInput.rule,
  output: RetentionRule,
  summary: "Set a retention rule",
  description:
    "Sets the rule for all meetings or for a tag, or changes its days; for admins. Nothing is deleted before a day has passed.",
  example: { days: 365 },
  refuses: [ADMINS, createRefusal(409, MESSAGES.tooManyRetentionRules)],
});

export const deleteRetentionRule = mutation("retention.delete", {
  ...MANAGED,
  rest: { at: "DELETE /retention/rules/{ruleId}", id: "deleteRetentionRule" },
  input: RetentionInput.ruleRef,
  output: Success,
  summary: "Delete a retention rule",
  description:
    "For admins. Meetings that it kept longer fall under the remaining rules, after a day at the earliest.",
  example: { ruleId: "ret_example" },
  refuses: [createRefusal(404, MESSAGES.retentionRuleNotFound)],
});

export const previewRetention = query("retention.preview", {
  ...OF_WORKSPACE,
  rest: { at: "GET /retention/preview", id: "previewRetention" },
  input: RetentionInput.preview,
  output: RetentionPreview,
  summary: "Preview retention",
  description:
    "A dry run: counts what the present rules, or the rules with a change, would delete now; for admins.",
  example: { days: 365 },
  refuses: [ADMINS],
});

export const getHold = query("retention.getHold", {
  ...OF_MEETING,
  rest: { at: "GET /retention/holds/{meetingId}", id: "getHold" },
  output: MeetingHold,
  summary: "Get the hold of a meeting",
  description: "For its owner and admins.",
  refuses: [NO_MEETING],
});

export const holdMeeting = mutation("retention.hold", {
  ...OF_MEETING,
  rest: { at: "PUT /retention/holds/{meetingId}", id: "holdMeeting" },
  output: Success,
  summary: "Put a meeting on hold",
  description:
    "No retention rule deletes it until it is released; for its owner and admins. It can still be deleted by hand.",
  refuses: [NO_MEETING],
});

export const releaseMeeting = mutation("retention.release", {
  ...OF_MEETING,
  rest: { at: "DELETE /retention/holds/{meetingId}", id: "releaseMeeting" },
  output: Success,
  summary: "Release a meeting",
  description: "Ends a hold; for admins, and for the owner if they put the meeting on hold.",
  refuses: [createRefusal(403, MESSAGES.heldByAdmin), NO_MEETING],
});
