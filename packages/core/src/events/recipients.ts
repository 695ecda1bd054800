import { PLAN_LIMITS, PLANS } from "@minutes/contract";
import { schema } from "@minutes/db";
import { type SQL, sql } from "drizzle-orm";
import { isSharedWith } from "../access/index.js";

const plans = sql.raw(
  PLANS.filter((plan) => PLAN_LIMITS[plan].webhooks)
    .map((plan) => `'${plan}'`)
    .join(", "),
);

const isActive: SQL = sql`w.disabled_at is null and w.deleted_at is null and p.plan in (${plans})`;
const isOfOwner: SQL = sql`w.user_id = m.user_id or w.workspace_id = m.workspace_id`;

/**
 * The first state of a delivery to a webhook `w`, in a statement. While the webhook is paused, and until it has caught up,
 * new deliveries wait behind the older ones.
 * @see docs/decisions/0167-catch-up-in-order.md
 */
export const firstState: SQL = sql`case when w.paused_at is not null or exists (
  select from ${schema.deliveries} q where q.webhook_id = w.id and q.state = 'held' and q.event_id is not null)
  then 'held' else 'pending' end`;

/**
 * True in a statement for a webhook `w` that may receive the meeting `m`. `p` is the workspace that the meeting's owner
 * is in now. Recipients are enabled personal webhooks of the owner and enabled webhooks of that workspace, on a plan
 * with webhooks. Checked when a meeting is completed and again before each attempt, so that a workspace receives
 * nothing more of a user who left.
 */
export const isRecipient: SQL = sql`(${isActive} and (${isOfOwner}))`;

/**
 * Builds that condition for an event of any kind. `meeting.shared` is also for the personal webhooks of the users in `subjects`, as
 * long as the meeting is shared with them.
 */
export const isEventRecipient = (event: SQL, subjects: SQL): SQL => sql`(${isActive} and (${isOfOwner}
  or (${event} = 'meeting.shared' and w.user_id = any(${subjects}) and ${isSharedWith(sql`w.user_id`)})))`;
