import { PLAN_LIMITS, PLANS } from "@minutes/contract";
import { schema } from "@minutes/db";
import { type SQL, sql } from "drizzle-orm";
import { isSharedWith } from "../access/index.js";

const { deliveries, meetingTags, tags } = schema;

const plans = sql.raw(
  PLANS.filter((plan) => PLAN_LIMITS[plan].webhooks)
    .map((plan) => `'${plan}'`)
    .join(", "),
);

/** Looks tags up only for webhooks that are limited to some. */
const hasTag: SQL = sql`(w.tags = '{}' or exists (
  select from ${meetingTags} l join ${tags} g on g.id = l.tag_id where l.meeting_id = m.id and g.name = any(w.tags)))`;
const isActive: SQL = sql`w.disabled_at is null and w.deleted_at is null and p.plan in (${plans}) and ${hasTag}`;
const isOfOwner: SQL = sql`w.user_id = m.user_id or w.workspace_id = m.workspace_id`;

/**
 * Initial state of a delivery to webhook `w`, in a statement. New deliveries queue behind older ones while the webhook
 * is paused and until it has caught up.
 * @see docs/decisions/0040-delivery-queue.md
 */
export const initialState: SQL = sql`case when w.paused_at is not null or exists (
  select from ${deliveries} q where q.webhook_id = w.id and q.state = 'held' and q.event_id is not null)
  then 'held' else 'pending' end`;

/**
 * Condition that webhook `w` can receive meeting `m`, whose owner is in workspace `p`: an enabled personal webhook of
 * the owner or an enabled webhook of that workspace, on a plan with webhooks, that is not limited to other tags. Checked
 * when a meeting is completed and before each attempt, so that a workspace receives nothing more of a user who left, and
 * a webhook nothing more of a meeting that lost its tag.
 */
export const isRecipient: SQL = sql`(${isActive} and (${isOfOwner}))`;

/**
 * Builds that condition for any event. `meeting.shared` also goes to personal webhooks of the users in `subjects`, as
 * long as the meeting is shared with them.
 */
export const isEventRecipient = (event: SQL, subjects: SQL): SQL => sql`(${isActive} and (${isOfOwner}
  or (${event} = 'meeting.shared' and w.user_id = any(${subjects}) and ${isSharedWith(sql`w.user_id`)})))`;
