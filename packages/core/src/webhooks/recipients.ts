import { PLAN_LIMITS, PLANS } from "@minutes/contract";
import { type SQL, sql } from "drizzle-orm";

const plans = sql.raw(
  PLANS.filter((plan) => PLAN_LIMITS[plan].webhooks)
    .map((plan) => `'${plan}'`)
    .join(", "),
);

/**
 * True for a webhook `w` that a meeting `m` may be sent to, `p` being the workspace that its owner is in now: an
 * enabled personal webhook of the owner, or one of that workspace, on a plan with webhooks. Asked when a meeting is
 * completed and again before each attempt, so that a workspace gets nothing more of somebody who left.
 */
export const receives: SQL = sql`(
  w.disabled_at is null and w.deleted_at is null
  and (w.user_id = m.user_id or w.workspace_id = m.workspace_id) and p.plan in (${plans}))`;
