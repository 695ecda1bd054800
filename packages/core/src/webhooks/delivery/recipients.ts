import { PLAN_LIMITS, PLANS } from "@minutes/contract";
import { type SQL, sql } from "drizzle-orm";

const plans = sql.raw(
  PLANS.filter((plan) => PLAN_LIMITS[plan].webhooks)
    .map((plan) => `'${plan}'`)
    .join(", "),
);

/**
 * True in a statement for a webhook `w` that may receive the meeting `m`. `p` is the workspace that the meeting's owner
 * is in now. Recipients are enabled personal webhooks of the owner and enabled webhooks of that workspace, on a plan
 * with webhooks. Checked when a meeting is completed and again before each attempt, so that a workspace receives
 * nothing more of a user who left.
 */
export const isRecipient: SQL = sql`(
  w.disabled_at is null and w.deleted_at is null
  and (w.user_id = m.user_id or w.workspace_id = m.workspace_id) and p.plan in (${plans}))`;
