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
 * Initial state of a delivery to webhook `w`, in a statement. New deliveries queue behind older ones while the webhook
 * is paused and until it has caught up.
 * @see docs/decisions/0040-delivery-queue.md
 */
export const initialState: SQL = sql`case when w.paused_at is not null or exists (
  select from ${schema.deliveries} q where q.webhook_id = w.id and q.state = 'held' and q.event_id is not null)
  then 'held' else 'pending' end`;

/**
 * Condition that webhook `w` can receive meeting `m`, whose owner is in workspace `p`: an enabled personal webhook of
 * the owner or an enabled webhook of that workspace, on a plan with webhooks. Checked when a meeting is completed and
 * before each attempt, so that a workspace receives nothing more of a user who left.
 */
export const isRecipient: SQL = sql`(${isActive} and (${isOfOwner}))`;

/**
 * Builds that condition for any event. `meeting.shared` also goes to personal webhooks of the users in `subjects`, as
 * long as the meeting is shared with them.
 */
export const isEventRecipient = (event: SQL, subjects: SQL): SQL => sql`(${isActive} and (${isOfOwner}
  or (${event} = 'meeting.shared' and w.user_id = any(${subjects}) and ${isSharedWith(sql`w.user_id`)})))`;
