import { type SQL, sql } from "drizzle-orm";
import {
  bigint,
  check,
  index,
  integer,
  pgSequence,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
} from "drizzle-orm/pg-core";
import { meetings } from "./meetings.js";
import { users, workspaces } from "./people.js";
import { bytes, id, instant, now } from "./types.js";

export const WEBHOOK_KINDS = ["personal", "workspace"] as const;
export type WebhookKind = (typeof WEBHOOK_KINDS)[number];

/** Where events are sent. A deleted one stays, without its secret, for as long as the log has deliveries of it. */
export const webhooks = pgTable(
  "webhooks",
  {
    id: id("id").primaryKey(),
    kind: text("kind", { enum: WEBHOOK_KINDS }).notNull(),
    /** A personal webhook's creator; null on a workspace's. */
    userId: id("user_id").references(() => users.id, { onDelete: "cascade" }),
    /** A workspace webhook's workspace; null on a personal one, which goes where its creator goes. */
    workspaceId: id("workspace_id").references(() => workspaces.id, { onDelete: "cascade" }),
    /** The user who created it; null once that user is deleted. */
    createdBy: id("created_by").references(() => users.id, { onDelete: "set null" }),
    name: text("name").notNull(),
    url: text("url").notNull(),
    method: text("method", { enum: ["api-key", "signature"] }).notNull(),
    /** The header that carries the secret or the signature, in lower case; null: that of the method. */
    headerName: text("header_name"),
    /** What the names of the other two headers begin with, in lower case; null: `service-`. */
    headerPrefix: text("header_prefix"),
    /** What it is told of. */
    events: text("events").array().notNull().default(["meeting.completed"]),
    /** Which key the secret is encrypted with; null once the webhook is deleted. */
    secretKeyId: text("secret_key_id"),
    /** AES-256-GCM: nonce, tag and ciphertext; null once the webhook is deleted. */
    secret: bytes("secret"),
    /** When the last failure e-mail took its hour's slot; null: none yet, or the last one could not be sent. */
    failureMailAt: instant("failure_mail_at"),
    /** Attempts that failed in a row, over all deliveries. */
    failures: integer("failures").notNull().default(0),
    /** When the first of them was recorded; null while there is none. */
    failingSince: instant("failing_since"),
    /** Since when nothing is sent because too many attempts failed; null: not paused. */
    pausedAt: instant("paused_at"),
    /** When the mail about a pause was sent, or a process took it to send; before `paused_at`, or null: not yet. */
    pauseMailAt: instant("pause_mail_at"),
    createdAt: instant("created_at").notNull().default(now),
    updatedAt: instant("updated_at").notNull().default(now),
    /** Null: enabled. */
    disabledAt: instant("disabled_at"),
    /** Null: not deleted. */
    deletedAt: instant("deleted_at"),
  },
  (table) => [
    index("webhooks_of_user").on(table.userId),
    index("webhooks_of_workspace").on(table.workspaceId),
    check(
      "webhooks_have_one_holder",
      sql`(${table.kind} = 'personal') = (${table.userId} is not null) and (${table.kind} = 'workspace') = (${table.workspaceId} is not null)`,
    ),
    check(
      "webhooks_keep_a_secret",
      sql`(${table.secret} is null) = (${table.deletedAt} is not null) and (${table.secretKeyId} is null) = (${table.secret} is null)`,
    ),
  ],
);

/** Secrets that were replaced and still sign for a while, so that a receiver can change over. */
export const webhookOldSecrets = pgTable(
  "webhook_old_secrets",
  {
    id: bigint("id", { mode: "bigint" }).primaryKey().generatedAlwaysAsIdentity(),
    webhookId: id("webhook_id")
      .notNull()
      .references(() => webhooks.id, { onDelete: "cascade" }),
    secretKeyId: text("secret_key_id").notNull(),
    /** As `webhooks.secret`. */
    secret: bytes("secret").notNull(),
    expiresAt: instant("expires_at").notNull(),
  },
  (table) => [index("webhook_old_secrets_of_webhook").on(table.webhookId)],
);

/**
 * What happened, and what is said about it: one body for all deliveries of the event, and the only copy of a
 * meeting's content that webhooks have. It goes with its meeting.
 */
export const webhookEvents = pgTable(
  "webhook_events",
  {
    id: bigint("id", { mode: "bigint" }).primaryKey().generatedAlwaysAsIdentity(),
    /** Null: the sample of a test send, or an event without content that outlives its meeting. */
    meetingId: id("meeting_id").references(() => meetings.id, { onDelete: "cascade" }),
    event: text("event").notNull().default("meeting.completed"),
    /** What the event is about besides the meeting: tasks that changed, or users the meeting was shared with. */
    subjects: text("subjects").array(),
    /**
     * The `data` of the payload, as JSON text that is sent as it is. Null: more changes may join the event; a worker
     * writes it, and the deliveries, a second after the first one.
     */
    data: text("data"),
    createdAt: instant("created_at").notNull().default(now),
  },
  (table) => [
    index("webhook_events_of_meeting").on(table.meetingId),
    // A meeting's completion is an event only once, and the changes of one second are one event.
    uniqueIndex("webhook_events_once")
      .on(table.meetingId, table.event)
      .where(sql`event = 'meeting.completed' or data is null`),
    index("webhook_events_to_write").on(table.createdAt).where(sql`data is null`),
    index("webhook_events_by_age").on(table.createdAt),
  ],
);

/** Milliseconds from 1970 to 2025, where the ids of deliveries begin to count. */
const DELIVERY_EPOCH = sql.raw("1735689600000");

/** Builds the smallest id that a delivery of a point in time can have: milliseconds since 2025 in the upper 42 bits. */
export const toFirstDeliveryId = (time: SQL): SQL =>
  sql`((extract(epoch from ${time}) * 1000)::bigint - ${DELIVERY_EPOCH}) << 22`;

/** Tells deliveries of one millisecond apart. @public */
export const deliveryNumbers = pgSequence("delivery_numbers", { maxValue: 4_194_303, cycle: true });

/**
 * An event on its way to a webhook: the queue and the delivery log at once. Workers claim what is due; a claim
 * moves `due_at` to the end of its lease and counts `claims` up, which is the token that its result has to show.
 */
export const deliveries = pgTable(
  "deliveries",
  {
    /**
     * `metadata.id`. Milliseconds since 2025 in the upper bits, so that ids are in order of creation, and none
     * comes twice when a database goes back to a backup: receivers would skip it as a duplicate.
     */
    id: bigint("id", { mode: "bigint" })
      .primaryKey()
      .default(sql`(${toFirstDeliveryId(sql`clock_timestamp()`)}) | nextval('delivery_numbers')`),
    webhookId: id("webhook_id")
      .notNull()
      .references(() => webhooks.id, { onDelete: "cascade" }),
    /** Null: the content is gone with its meeting; a delivery that was still pending is canceled by that. */
    eventId: bigint("event_id", { mode: "bigint" }).references(() => webhookEvents.id, {
      onDelete: "set null",
    }),
    /** The meeting's id, which outlives its content as the tombstone does; null on a test send. */
    meetingId: id("meeting_id"),
    event: text("event").notNull().default("meeting.completed"),
    /** `held` waits until its webhook is no longer paused, and for its turn after that. */
    state: text("state", { enum: ["pending", "held", "delivered", "failed", "skipped"] })
      .notNull()
      .default("pending"),
    /** While pending: when it may be claimed next, because its next attempt or the end of its lease has come. */
    dueAt: instant("due_at").notNull().default(now),
    claims: integer("claims").notNull().default(0),
    /** Attempts recorded. */
    attempts: integer("attempts").notNull().default(0),
    /** Of these, the attempts since the delivery was last sent again by hand. */
    attemptsSinceRedelivery: integer("round").notNull().default(0),
    createdAt: instant("created_at").notNull().default(now),
    /** Null while pending. */
    finishedAt: instant("finished_at"),
  },
  (table) => [
    index("deliveries_to_claim")
      .on(table.webhookId, table.dueAt, table.id)
      .where(sql`state = 'pending' and event_id is not null`),
    index("deliveries_of_webhook").on(table.webhookId, table.id),
    index("deliveries_held").on(table.webhookId, table.id).where(sql`state = 'held'`),
    index("deliveries_of_event").on(table.eventId),
  ],
);

/** What came of each attempt: never anything of what was sent or answered. */
export const attempts = pgTable(
  "attempts",
  {
    deliveryId: bigint("delivery_id", { mode: "bigint" })
      .notNull()
      .references(() => deliveries.id, { onDelete: "cascade" }),
    /** 1 is the first. */
    number: integer("number").notNull(),
    startedAt: instant("started_at").notNull(),
    milliseconds: integer("milliseconds").notNull(),
    /** Null: no answer came. */
    status: integer("status"),
    /** Null: delivered. */
    error: text("error"),
  },
  (table) => [primaryKey({ name: "attempts_of_delivery", columns: [table.deliveryId, table.number] })],
);
