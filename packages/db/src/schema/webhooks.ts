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
import { meetingReference } from "./meetings.js";
import { creatorReference, userReference, workspaceReference } from "./people.js";
import { bytes, id, instant, now } from "./types.js";

const WEBHOOK_KINDS = ["personal", "workspace"] as const;
export type WebhookKind = (typeof WEBHOOK_KINDS)[number];

/** Webhooks. A deleted one remains, without its secret, as long as the log has its deliveries. */
export const webhooks = pgTable(
  "webhooks",
  {
    id: id("id").primaryKey(),
    kind: text("kind", { enum: WEBHOOK_KINDS }).notNull(),
    /** A personal webhook's creator; null for a workspace webhook. */
    userId: userReference(),
    /** A workspace webhook's workspace; null for a personal one, which moves with its creator. */
    workspaceId: workspaceReference(),
    createdBy: creatorReference(),
    name: text("name").notNull(),
    url: text("url").notNull(),
    method: text("method", { enum: ["api-key", "signature"] }).notNull(),
    /** Header of the secret or signature, in lower case; null: the method's default. */
    headerName: text("header_name"),
    /** Prefix of the other two headers, in lower case; null: `service-`. */
    headerPrefix: text("header_prefix"),
    /** Subscribed events. */
    events: text("events").array().notNull().default(["meeting.completed"]),
    /** Names of members' tags, to get only the events of meetings that have one of them; empty: of all meetings. */
    tags: text("tags").array().notNull().default([]),
    /** How bodies are written: the event as JSON, or a message for a chat. */
    format: text("format", { enum: ["json", "slack", "teams", "discord"] })
      .notNull()
      .default("json"),
    /** Id of the key that encrypts the secret; null once the webhook is deleted. */
    secretKeyId: text("secret_key_id"),
    /** AES-256-GCM: nonce, tag and ciphertext; null once the webhook is deleted. */
    secret: bytes("secret"),
    /** When the last failure e-mail used its hourly slot; null: none yet, or sending it failed. */
    failureMailAt: instant("failure_mail_at"),
    /** Consecutive failed attempts over all deliveries. */
    failures: integer("failures").notNull().default(0),
    /** When the first of them was recorded; null if there is none. */
    failingSince: instant("failing_since"),
    /** When sending was paused because of too many failures; null: not paused. */
    pausedAt: instant("paused_at"),
    /** When the e-mail about the pause was sent, or claimed for sending. Earlier than `paused_at`, or null: not yet. */
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

const webhookReference = () => id("webhook_id").references(() => webhooks.id, { onDelete: "cascade" });

/** Replaced secrets that keep signing for a while, so that receivers can switch over. */
export const webhookOldSecrets = pgTable(
  "webhook_old_secrets",
  {
    id: bigint("id", { mode: "bigint" }).primaryKey().generatedAlwaysAsIdentity(),
    webhookId: webhookReference().notNull(),
    secretKeyId: text("secret_key_id").notNull(),
    /** As `webhooks.secret`. */
    secret: bytes("secret").notNull(),
    expiresAt: instant("expires_at").notNull(),
  },
  (table) => [index("webhook_old_secrets_of_webhook").on(table.webhookId)],
);

/**
 * An event: one body for all its deliveries, and the only copy of a meeting's content in webhooks. Deleted with its
 * meeting.
 */
export const webhookEvents = pgTable(
  "webhook_events",
  {
    id: bigint("id", { mode: "bigint" }).primaryKey().generatedAlwaysAsIdentity(),
    /** Null: a test event, or an event without content that outlives its meeting. */
    meetingId: meetingReference(),
    event: text("event").notNull().default("meeting.completed"),
    /** Further subjects of the event: changed tasks, or users the meeting was shared with. */
    subjects: text("subjects").array(),
    /**
     * The `data` of the payload as JSON text, sent verbatim. Null: further changes can still join the event; a second
     * after the first one, a worker writes the data and the deliveries.
     */
    data: text("data"),
    createdAt: instant("created_at").notNull().default(now),
  },
  (table) => [
    index("webhook_events_of_meeting").on(table.meetingId),
    // A meeting is completed only once, and the changes of one second form one event.
    uniqueIndex("webhook_events_once")
      .on(table.meetingId, table.event)
      .where(sql`event = 'meeting.completed' or data is null`),
    index("webhook_events_to_write").on(table.createdAt).where(sql`data is null`),
    index("webhook_events_by_age").on(table.createdAt),
  ],
);

/** Epoch of delivery ids: 2025-01-01, in ms since 1970. */
const DELIVERY_EPOCH = sql.raw("1735689600000");

/** Builds the smallest delivery id of a point in time: ms since 2025 in the upper 42 bits. */
export const toFirstDeliveryId = (time: SQL): SQL =>
  sql`((extract(epoch from ${time}) * 1000)::bigint - ${DELIVERY_EPOCH}) << 22`;

/** Distinguishes deliveries created in the same millisecond. @public */
export const deliveryNumbers = pgSequence("delivery_numbers", { maxValue: 4_194_303, cycle: true });

/** Builds a new delivery id that sorts by a point in time. */
export const toDeliveryId = (time: SQL): SQL =>
  sql`(${toFirstDeliveryId(time)}) | nextval('delivery_numbers')`;

/**
 * Deliveries of events to webhooks: both the queue and the log. Workers claim due rows; a claim sets `due_at` to the
 * end of its lease and increments `claims`, the fencing token for recording the result.
 */
export const deliveries = pgTable(
  "deliveries",
  {
    /**
     * `metadata.id`. The upper bits are ms since 2025, so that ids sort by creation and are never reused after a
     * restore from a backup: receivers would skip a reused id as a duplicate.
     */
    id: bigint("id", { mode: "bigint" }).primaryKey().default(toDeliveryId(sql`clock_timestamp()`)),
    webhookId: webhookReference().notNull(),
    /** Null: the content was deleted with its meeting, which also cancels a pending delivery. */
    eventId: bigint("event_id", { mode: "bigint" }).references(() => webhookEvents.id, {
      onDelete: "set null",
    }),
    /** The meeting's id, which remains after its content, as in the tombstone; null for a test delivery. */
    meetingId: id("meeting_id"),
    event: text("event").notNull().default("meeting.completed"),
    /** `held` waits until its webhook is no longer paused, and then for its turn. */
    state: text("state", { enum: ["pending", "held", "delivered", "failed", "skipped"] })
      .notNull()
      .default("pending"),
    /** While pending: when it can be claimed, because its next attempt is due or its lease has ended. */
    dueAt: instant("due_at").notNull().default(now),
    claims: integer("claims").notNull().default(0),
    /** Recorded attempts. */
    attempts: integer("attempts").notNull().default(0),
    /** Attempts since the delivery was last redelivered by hand. */
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

/** The outcome of each attempt. Stores nothing that was sent or answered. */
export const attempts = pgTable(
  "attempts",
  {
    deliveryId: bigint("delivery_id", { mode: "bigint" })
      .notNull()
      .references(() => deliveries.id, { onDelete: "cascade" }),
    /** Starts at 1. */
    number: integer("number").notNull(),
    startedAt: instant("started_at").notNull(),
    milliseconds: integer("milliseconds").notNull(),
    /** Null: no answer. */
    status: integer("status"),
    /** Null: delivered. */
    error: text("error"),
  },
  (table) => [primaryKey({ name: "attempts_of_delivery", columns: [table.deliveryId, table.number] })],
);
