/** Where a table's rows are: on the coordinator alone, or spread over the workers by the hash of a column. */
export type Placement = "coordinator" | { readonly by: "meeting_id" | "document" };

const byMeeting = { by: "meeting_id" } as const;
const byDocument = { by: "document" } as const;

/**
 * Lists for every table where its rows are in a database that is spread over several servers. What a meeting was and what search
 * knows of it are nearly all of the bytes, and are read meeting by meeting: they are spread. All else is small. Lists, access and
 * the change feed read it with foreign keys, triggers and numbers of transactions, which work on one server.
 * @see docs/decisions/0213-what-is-spread-over-workers.md
 */
export const TABLE_LAYOUT: Readonly<Record<string, Placement>> = {
  transcript_segments: byMeeting,
  search_chunks: byMeeting,
  search_postings: byDocument,
  search_speakers: byDocument,
  search_windows: byDocument,
  api_keys: "coordinator",
  attempts: "coordinator",
  audit_log: "coordinator",
  calendar_attendees: "coordinator",
  calendar_events: "coordinator",
  company_accounts: "coordinator",
  credit_charges: "coordinator",
  deliveries: "coordinator",
  ingest_keys: "coordinator",
  invitations: "coordinator",
  meeting_shares: "coordinator",
  meeting_tags: "coordinator",
  meetings: "coordinator",
  members: "coordinator",
  one_time_links: "coordinator",
  participants: "coordinator",
  passkeys: "coordinator",
  passwords: "coordinator",
  rate_windows: "coordinator",
  recording_drafts: "coordinator",
  recordings: "coordinator",
  request_counts: "coordinator",
  search_documents: "coordinator",
  search_settings: "coordinator",
  sessions: "coordinator",
  sign_in_attempts: "coordinator",
  sign_in_challenges: "coordinator",
  summaries: "coordinator",
  sync_removals: "coordinator",
  sync_starts: "coordinator",
  sync_waits: "coordinator",
  tag_shares: "coordinator",
  tags: "coordinator",
  tasks: "coordinator",
  users: "coordinator",
  vocabulary_terms: "coordinator",
  webhook_events: "coordinator",
  webhook_old_secrets: "coordinator",
  webhooks: "coordinator",
  workspaces: "coordinator",
};

/** A table that is spread, and the column by whose hash. */
export interface SpreadTable {
  readonly name: string;
  readonly column: string;
}

/** The tables that are spread. Those with one column lie together: rows with one value are on one worker. */
export const SPREAD_TABLES: readonly SpreadTable[] = Object.entries(TABLE_LAYOUT).flatMap(
  ([name, placement]) => (placement === "coordinator" ? [] : [{ name, column: placement.by }]),
);
