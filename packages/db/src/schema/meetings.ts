import { sql } from "drizzle-orm";
import {
  boolean,
  date,
  doublePrecision,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  unique,
  uniqueIndex,
} from "drizzle-orm/pg-core";
import { membershipKey, workspaceReference, workspaces } from "./people.js";
import { currentTransaction, transactionNumber } from "./sync.js";
import { bytes, id, instant, now } from "./types.js";

const RECORDING_STATES = ["recording", "processing", "completed", "failed", "deleted"] as const;
export type RecordingState = (typeof RECORDING_STATES)[number];

/**
 * Origin and state of a meeting. Only a completed recording has a row in `meetings`, with the same id. A deleted one
 * remains as a tombstone without content, so a repeated import does not restore it.
 */
export const recordings = pgTable(
  "recordings",
  {
    id: id("id").primaryKey(),
    /**
     * Where it was made: the namespace of `external_id`, and for audit; never for access. Null once the workspace is
     * gone.
     */
    workspaceId: id("workspace_id").references(() => workspaces.id, { onDelete: "set null" }),
    /** The recorder's own id; null if it sent none. */
    externalId: text("external_id"),
    state: text("state", { enum: RECORDING_STATES }).notNull(),
    /** Hash of the call that started it, to detect repeats; null if it was imported whole, and for a tombstone. */
    startHash: bytes("start_hash"),
    /** Hash of the call that ended or imported it, to detect repeats; null before that, and for a tombstone. */
    contentHash: bytes("content_hash"),
    createdAt: instant("created_at").notNull().default(now),
    updatedAt: instant("updated_at").notNull().default(now),
  },
  (table) => [uniqueIndex("recordings_by_external_id").on(table.workspaceId, table.externalId)],
);

/** Creates the column of the recording to which a row belongs. The row is deleted with the recording. */
export const recordingReference = () =>
  id("recording_id").references(() => recordings.id, { onDelete: "cascade" });

/**
 * Hashes of external IDs of recordings from which a person was erased, or that were erased with their owner. Ingest
 * neither replaces nor restores them, because the recorder would bring the person back.
 */
export const erasedRecordings = pgTable(
  "erased_recordings",
  {
    workspaceId: workspaceReference().notNull(),
    /** SHA-256 of the external ID. */
    hash: bytes("hash").notNull(),
  },
  (table) => [
    primaryKey({ name: "erased_recordings_of_workspace", columns: [table.workspaceId, table.hash] }),
  ],
);

/** Completed meetings. Deliberately narrow: lists read these rows, details are in other tables. */
export const meetings = pgTable(
  "meetings",
  {
    id: id("id")
      .primaryKey()
      .references(() => recordings.id, { onDelete: "cascade" }),
    /** The owner, who recorded it. */
    userId: id("user_id").notNull(),
    /** The owner's current workspace. */
    workspaceId: id("workspace_id").notNull(),
    title: text("title").notNull(),
    generatedTitle: text("generated_title"),
    startTime: instant("start_time").notNull(),
    endTime: instant("end_time"),
    /** Where the recording stays at its provider; null: the recorder did not say, or somebody was erased from the meeting. */
    recordingUrl: text("recording_url"),
    /** `day`: only the UTC day of the start is known; `guess`: an estimate, such as a file's time; null: exact. */
    startPrecision: text("start_precision", { enum: ["day", "guess"] }),
    /** Null if no calendar event is linked. */
    calendarEventId: id("calendar_event_id"),
    createdAt: instant("created_at").notNull().default(now),
    updatedAt: instant("updated_at").notNull().default(now),
    createdIn: transactionNumber("created_in").notNull().default(currentTransaction),
    /** The transaction that moved it into its workspace. */
    placedIn: transactionNumber("placed_in").notNull().default(currentTransaction),
    /** The last transaction that changed its list item or details, except tasks. */
    changedIn: transactionNumber("changed_in").notNull().default(currentTransaction),
  },
  (table) => [
    membershipKey("meetings_follow_their_owner", table.userId, table.workspaceId).onUpdate("cascade"),
    index("meetings_of_owner_by_start").on(table.userId, table.startTime, table.id),
    index("meetings_of_workspace_by_start").on(table.workspaceId, table.startTime, table.id),
    index("meetings_of_owner_by_change").on(table.userId, table.changedIn, table.id),
    index("meetings_of_workspace_by_change").on(table.workspaceId, table.changedIn, table.id),
    // Target of foreign keys from shares and tags, which include the owner to verify it, and the start to sort by.
    unique("meetings_identity").on(table.id, table.userId, table.startTime),
  ],
);

/** Creates the column of the meeting to which a row belongs. The row is deleted with the meeting. */
export const meetingReference = () => id("meeting_id").references(() => meetings.id, { onDelete: "cascade" });

export const summaries = pgTable(
  "summaries",
  {
    meetingId: meetingReference().primaryKey(),
    markdown: text("markdown").notNull(),
    html: text("html").notNull(),
    short: text("short").notNull(),
    /** JSON: the instruction and language that a model wrote it with; null: others wrote it, or nothing was asked for. */
    origin: text("origin"),
    /** True: over the plan's credits or duration. Stored, but hidden until an upgrade. */
    locked: boolean("locked").notNull().default(false),
  },
  (table) => [index("locked_summaries").on(table.meetingId).where(sql`locked`)],
);

/**
 * Transcripts, turn by turn. No foreign keys, whose checks would cost more than the rows: turns are written with their
 * meeting and participants, and a trigger on `meetings` deletes them.
 */
export const transcriptSegments = pgTable(
  "transcript_segments",
  {
    meetingId: id("meeting_id").notNull(),
    position: integer("position").notNull(),
    /** Id of the speaking participant, unique within the meeting. */
    speakerId: id("speaker_id").notNull(),
    text: text("text").notNull(),
    /** Seconds from the start of the recording; null if the recorder sent none. */
    startSeconds: doublePrecision("start_seconds"),
    endSeconds: doublePrecision("end_seconds"),
  },
  (table) => [primaryKey({ name: "segments_of_meeting", columns: [table.meetingId, table.position] })],
);

/** People who spoke, in order of their first turn. */
export const participants = pgTable(
  "participants",
  {
    meetingId: meetingReference().notNull(),
    /** The recorder's label of the speaker, unique within the meeting. Never shown outside. */
    id: id("id").notNull(),
    position: integer("position").notNull(),
    name: text("name").notNull(),
    email: text("email"),
    /**
     * The person in the meeting's workspace; one of another workspace until a meeting that moved is mapped, see `people_work`.
     * An unidentified speaker has an ID without a row in `people`. Null: written by a process of the previous release, until
     * the background job identifies it. No foreign key for these reasons.
     */
    personId: id("person_id"),
    /** The revision of the person whose name it has; null: the name that was recorded or given in this meeting. */
    personRevision: integer("person_revision"),
    /** True: somebody named the speaker, so the recorder's next version of the meeting doesn't. */
    named: boolean("named").notNull().default(false),
  },
  (table) => [
    primaryKey({ name: "participants_of_meeting", columns: [table.meetingId, table.id] }),
    index("participants_of_person").on(table.personId, table.meetingId),
    index("participants_without_person").on(table.meetingId).where(sql`person_id is null`),
  ],
);

export const tasks = pgTable(
  "tasks",
  {
    id: id("id").primaryKey(),
    meetingId: meetingReference().notNull(),
    /** The meeting's owner. */
    userId: id("user_id").notNull(),
    /** The owner's current workspace. */
    workspaceId: id("workspace_id").notNull(),
    /** Position among the meeting's tasks. */
    position: integer("position").notNull(),
    text: text("text").notNull(),
    completed: boolean("completed").notNull().default(false),
    /** The participant's label; null if the assignee did not speak. All null: unassigned. */
    assigneeId: id("assignee_id"),
    assigneeName: text("assignee_name"),
    assigneeEmail: text("assignee_email"),
    /**
     * The person, as for participants. Null without label and address. A trigger clears it where a process of the
     * previous release assigns the task to somebody else.
     */
    assigneePersonId: id("assignee_person_id"),
    /** The day by which it should be done, `YYYY-MM-DD`; null if there is none. Never part of a row of `/v1`. */
    dueOn: date("due_on"),
    createdAt: instant("created_at").notNull(),
    updatedAt: instant("updated_at").notNull().default(now),
    /** The transaction that added it to an existing meeting; null: it was created with the meeting. */
    createdIn: transactionNumber("created_in"),
    /** The last transaction that changed it; null: unchanged since its creation. */
    updatedIn: transactionNumber("updated_in"),
  },
  (table) => [
    membershipKey("tasks_follow_their_owner", table.userId, table.workspaceId).onUpdate("cascade"),
    index("tasks_of_owner_by_creation").on(table.userId, table.createdAt, table.id),
    index("tasks_of_workspace_by_creation").on(table.workspaceId, table.createdAt, table.id),
    index("open_tasks_of_owner_by_creation")
      .on(table.userId, table.createdAt, table.id)
      .where(sql`not completed`),
    index("open_tasks_of_workspace_by_creation")
      .on(table.workspaceId, table.createdAt, table.id)
      .where(sql`not completed`),
    index("tasks_of_owner_by_due").on(
      ...[table.userId, table.completed, table.dueOn],
      ...[table.createdAt.desc().nullsFirst(), table.id.desc().nullsFirst()],
    ),
    index("tasks_of_workspace_by_due").on(
      ...[table.workspaceId, table.completed, table.dueOn],
      ...[table.createdAt.desc().nullsFirst(), table.id.desc().nullsFirst()],
    ),
    index("changed_tasks_of_owner")
      .on(table.userId, table.updatedIn, table.meetingId, table.id)
      .where(sql`updated_in is not null`),
    index("changed_tasks_of_workspace")
      .on(table.workspaceId, table.updatedIn, table.meetingId, table.id)
      .where(sql`updated_in is not null`),
    index("tasks_of_meeting_by_creation").on(table.meetingId, table.createdAt, table.id),
    index("tasks_of_person")
      .on(table.assigneePersonId, table.meetingId)
      .where(sql`assignee_person_id is not null`),
    index("tasks_without_person")
      .on(table.meetingId)
      .where(sql`assignee_person_id is null and (assignee_id is not null or assignee_email is not null)`),
  ],
);

/** Calendar data of the linked meeting. */
export const calendarEvents = pgTable("calendar_events", {
  meetingId: meetingReference().primaryKey(),
  id: id("id").notNull(),
  /** The calendar provider's id. */
  externalId: text("external_id"),
  title: text("title"),
  scheduledTime: instant("scheduled_time"),
  endTime: instant("end_time"),
});

export const calendarAttendees = pgTable(
  "calendar_attendees",
  {
    meetingId: id("meeting_id")
      .notNull()
      .references(() => calendarEvents.meetingId, { onDelete: "cascade" }),
    position: integer("position").notNull(),
    name: text("name").notNull(),
    email: text("email").notNull(),
    responseStatus: text("response_status"),
    organizer: boolean("organizer").notNull().default(false),
  },
  (table) => [primaryKey({ name: "attendees_of_event", columns: [table.meetingId, table.position] })],
);
