import { sql } from "drizzle-orm";
import { check, foreignKey, index, integer, pgTable, primaryKey, text, unique } from "drizzle-orm/pg-core";
import { meetingReference } from "./meetings.js";
import { workspaceReference } from "./people.js";
import { currentTransaction, transactionNumber } from "./sync.js";
import { id, instant, now } from "./types.js";

/**
 * The directory of a workspace: people who were identified by an address or by hand. Triggers delete those without
 * meetings.
 * @see docs/decisions/0290-people.md
 */
export const people = pgTable(
  "people",
  {
    id: id("id").primaryKey(),
    workspaceId: workspaceReference().notNull(),
    name: text("name").notNull(),
    organisation: text("organisation"),
    /**
     * The person this one is a duplicate of, who is never merged themselves; null: none. Statements follow it when they
     * read, so a merge is one update. No foreign key: a person and their duplicates are deleted together.
     */
    mergedInto: id("merged_into"),
    /** Counts renames and merges. From 1 on, the person's meetings have the name of the directory. */
    revision: integer("revision").notNull().default(0),
    /** The revision whose name all of the person's meetings have. */
    settledRevision: integer("settled_revision").notNull().default(0),
    createdAt: instant("created_at").notNull().default(now),
    updatedAt: instant("updated_at").notNull().default(now),
    changedIn: transactionNumber("changed_in").notNull().default(currentTransaction),
  },
  (table) => [
    index("people_of_workspace").on(table.workspaceId, table.name, table.id),
    index("duplicates_of_person").on(table.mergedInto).where(sql`merged_into is not null`),
    index("people_to_settle").on(table.id).where(sql`settled_revision < revision`),
    // Target of the foreign key from addresses, which includes the workspace.
    unique("people_identity").on(table.workspaceId, table.id),
  ],
);

/** Addresses of people. An address is one person in its workspace. */
export const personEmails = pgTable(
  "person_emails",
  {
    workspaceId: workspaceReference().notNull(),
    /** In lower case. */
    email: text("email").notNull(),
    personId: id("person_id").notNull(),
  },
  (table) => [
    primaryKey({ name: "person_emails_of_workspace", columns: [table.workspaceId, table.email] }),
    index("emails_of_person").on(table.personId),
    foreignKey({
      name: "emails_are_of_their_workspaces_people",
      columns: [table.workspaceId, table.personId],
      foreignColumns: [people.workspaceId, people.id],
    }).onDelete("cascade"),
    check("person_emails_are_lower_case", sql`${table.email} = lower(${table.email})`),
  ],
);

/**
 * Meetings that moved to another workspace and still name people of the former one. A trigger adds them. Until they are
 * mapped, statements ignore these people, because a person is referenced by ID and workspace.
 */
export const peopleWork = pgTable("people_work", {
  meetingId: meetingReference().primaryKey(),
  at: instant("at").notNull().default(now),
});
