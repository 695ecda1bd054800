/** Placement of a table: on the coordinator, or distributed by the hash of a column. */
export type Placement = "coordinator" | { readonly by: "meeting_id" | "document" };

const byMeeting = { by: "meeting_id" } as const;
const byDocument = { by: "document" } as const;

/**
 * The placement of every table in a distributed database. Transcripts and the search index make up nearly all of the
 * data and are read meeting by meeting, so they are distributed. Everything else is small and needs foreign keys,
 * triggers or transaction numbers, which work only on one server.
 * @see docs/decisions/0213-citus.md
 */
export const TABLE_LAYOUT: Readonly<Record<string, Placement>> = {
  transcript_segments: byMeeting,
  search_chunks: byMeeting,
  search_postings: byDocument,
  search_speakers: byDocument,
  search_windows: byDocument,
  access_requests: "coordinator",
  api_keys: "coordinator",
  attempts: "coordinator",
  audit_log: "coordinator",
  calendar_attendees: "coordinator",
  calendar_entries: "coordinator",
  calendar_events: "coordinator",
  calendar_links: "coordinator",
  calendars: "coordinator",
  company_accounts: "coordinator",
  credit_charges: "coordinator",
  deliveries: "coordinator",
  digest_subscriptions: "coordinator",
  digests: "coordinator",
  erased_recordings: "coordinator",
  idempotency_keys: "coordinator",
  ingest_keys: "coordinator",
  invitations: "coordinator",
  kept_audio: "coordinator",
  known_browsers: "coordinator",
  meeting_holds: "coordinator",
  meeting_shares: "coordinator",
  meeting_tags: "coordinator",
  meeting_version_contents: "coordinator",
  meeting_versions: "coordinator",
  meetings: "coordinator",
  members: "coordinator",
  oauth_clients: "coordinator",
  oauth_grants: "coordinator",
  oauth_tokens: "coordinator",
  one_time_links: "coordinator",
  participants: "coordinator",
  passkeys: "coordinator",
  passwords: "coordinator",
  people: "coordinator",
  people_work: "coordinator",
  person_emails: "coordinator",
  public_links: "coordinator",
  rate_windows: "coordinator",
  recording_drafts: "coordinator",
  recordings: "coordinator",
  request_counts: "coordinator",
  retention_rules: "coordinator",
  search_documents: "coordinator",
  search_settings: "coordinator",
  sessions: "coordinator",
  sign_in_attempts: "coordinator",
  sign_in_challenges: "coordinator",
  summaries: "coordinator",
  summary_instructions: "coordinator",
  summary_requests: "coordinator",
  sync_removals: "coordinator",
  sync_starts: "coordinator",
  sync_waits: "coordinator",
  tag_shares: "coordinator",
  tags: "coordinator",
  tasks: "coordinator",
  transcriptions: "coordinator",
  users: "coordinator",
  vocabulary_terms: "coordinator",
  webhook_events: "coordinator",
  webhook_old_secrets: "coordinator",
  webhooks: "coordinator",
  workspaces: "coordinator",
};

/** A distributed table and its distribution column. */
export interface DistributedTable {
  readonly name: string;
  readonly column: string;
}

/**
 * The distributed tables. Tables with the same column are colocated: rows with the same value are on the same worker.
 */
export const DISTRIBUTED_TABLES: readonly DistributedTable[] = Object.entries(TABLE_LAYOUT).flatMap(
  ([name, placement]) => (placement === "coordinator" ? [] : [{ name, column: placement.by }]),
);
