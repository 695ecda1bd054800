export * from "./access/index.js";
export * from "./actor.js";
export * from "./api/index.js";
export { answer, ask } from "./ask/index.js";
export { audit } from "./audit.js";
export * from "./audit-log/index.js";
export type { AnswerModel } from "./chat/index.js";
export * from "./corrections/index.js";
export * from "./directory/index.js";
export * from "./errors.js";
export * from "./export/index.js";
export * from "./idempotency/index.js";
export * from "./identity/index.js";
export { type IdentityRouter, identityRouter } from "./identity/router.js";
export * from "./ingest/index.js";
export type { IngestContext, SummaryQueue } from "./ingest/procedures.js";
export { type IngestRouter, ingestResourceRouter, ingestRouter } from "./ingest/router.js";
export * from "./keys/index.js";
export { createSmtpMailer, type Mailer } from "./mailer.js";
export { deleteMeeting, requireMeetingOwner, toSearchScope } from "./meetings/index.js";
export * from "./oauth/index.js";
export * from "./operator/index.js";
export { followMoves, identifyRemainingPeople, purgePeople } from "./people/index.js";
export * from "./persons/index.js";
export * from "./rate-limit/index.js";
export * from "./recordings/index.js";
export * from "./retention/index.js";
export * from "./routers.js";
export * from "./sessions/index.js";
export * from "./settings/created-credentials.js";
export { type ManagementContext, type SettingsContext, toSuccess } from "./settings/procedures.js";
export { recordingManagementProcedures } from "./settings/recordings.js";
export * from "./settings/revoke-workspace.js";
export { webhookManagementProcedures } from "./settings/webhooks.js";
export * from "./sharing/index.js";
export * from "./sync/index.js";
export {
  createTag,
  deleteTag,
  getTag,
  listOwnTags,
  listTagReaders,
  renameTag,
  tagMeeting,
  untagMeeting,
} from "./tags/index.js";
export { updateTask } from "./tasks/index.js";
export { purgeVersions } from "./versions/index.js";
export * from "./vocabulary/index.js";
export * from "./webhooks/index.js";
export * from "./workspaces/index.js";
