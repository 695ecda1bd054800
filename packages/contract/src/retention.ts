import { z } from "zod";
import { InstantOut } from "./instants.js";
import { LIMITS } from "./limits.js";
import { MESSAGES } from "./messages.js";
import { createRefusal, type ProcedureReference } from "./procedure.js";
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

const describe = (
  summary: string,
  description: string,
  example: ProcedureReference["example"],
  ...refusals: ProcedureReference["refusals"]
): ProcedureReference => ({ summary, description, example, refusals, addition: true });

const ADMINS = createRefusal(403, MESSAGES.onlyAdmins);
const MEETING = { meetingId: "mtg_example" };
const NO_MEETING = createRefusal(404, MESSAGES.meetingNotFound);

/** Reference texts of the resources for retention. */
export const RETENTION_TEXTS = {
  "settings/retention.list": describe(
    "List retention rules",
    "How long the workspace keeps its meetings; for admins.",
    {},
    ADMINS,
  ),
  "settings/retention.set": describe(
    "Set a retention rule",
    "Sets the rule for all meetings or for a tag, or changes its days; for admins. Nothing is deleted before a day has passed.",
    { days: 365 },
    ADMINS,
    createRefusal(409, MESSAGES.tooManyRetentionRules),
  ),
  "settings/retention.delete": describe(
    "Delete a retention rule",
    "For admins. Meetings that it kept longer fall under the remaining rules, after a day at the earliest.",
    { ruleId: "ret_example" },
    createRefusal(404, MESSAGES.retentionRuleNotFound),
  ),
  "settings/retention.preview": describe(
    "Preview retention",
    "A dry run: counts what the present rules, or the rules with a change, would delete now; for admins.",
    { days: 365 },
    ADMINS,
  ),
  "settings/retention.getHold": describe(
    "Get the hold of a meeting",
    "For its owner and admins.",
    MEETING,
    NO_MEETING,
  ),
  "settings/retention.hold": describe(
    "Put a meeting on hold",
    "No retention rule deletes it until it is released; for its owner and admins. It can still be deleted by hand.",
    MEETING,
    NO_MEETING,
  ),
  "settings/retention.release": describe(
    "Release a meeting",
    "Ends a hold; for admins, and for the owner if they put the meeting on hold.",
    MEETING,
    createRefusal(403, MESSAGES.heldByAdmin),
    NO_MEETING,
  ),
} as const;
