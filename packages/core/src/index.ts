export * from "./access/index.js";
export * from "./actor.js";
export type { PersonalContext } from "./api/index.js";
export { audit } from "./audit.js";
export * from "./audit-log/index.js";
export * from "./credentials/index.js";
export * from "./errors.js";
export * from "./export/index.js";
export * from "./identity/index.js";
export { type IdentityRouter, identityRouter } from "./identity/router.js";
export * from "./ingest/index.js";
export type { IngestContext, SummaryQueue } from "./ingest/procedures.js";
export { ingestRouter } from "./ingest/router.js";
export * from "./keys/index.js";
export { type Mailer, smtpMailer } from "./mailer.js";
export { type MeRouter, meRouter } from "./me.js";
export {
  listMeetingShares,
  shareMeeting,
  toSearchScope,
  transcriptMarkdown,
  unshareMeeting,
} from "./meetings/index.js";
export * from "./rate-limit/index.js";
export * from "./recordings/index.js";
export * from "./sessions/index.js";
export { managedKeys } from "./settings/managed-keys.js";
export { managedWebhooks } from "./settings/managed-webhooks.js";
export { type ManagementContext, type SettingsContext, succeed } from "./settings/procedures.js";
export { type SettingsRouter, settingsRouter } from "./settings/router.js";
export { deleteTag, listOwnTags, shareTag, tagMeeting, unshareTag, untagMeeting } from "./tags/index.js";
export * from "./trpc/index.js";
export * from "./vocabulary/index.js";
export * from "./webhooks/index.js";
export { type WorkspaceRouter, workspaceRouter } from "./workspace.js";
export * from "./workspaces/index.js";
