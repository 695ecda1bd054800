import { LIMITS } from "./limits.js";

/** Formats `The request body exceeds 256 KiB.` */
export function bodyTooLarge(bytes: number): string {
  const kibibytes = bytes / 1024;
  return `The request body exceeds ${kibibytes < 1024 ? `${kibibytes} KiB` : `${kibibytes / 1024} MiB`}.`;
}

/** Every message of the API except those about an invalid input field. */
export const MESSAGES = {
  missingKey: "Missing API key. Use header: x-api-key: <key>",
  missingKeyOrBearer: "Missing API key. Use header: x-api-key: <key> or authorization: Bearer <key>",
  invalidKey: "Invalid API key",
  needsWorkspaceKey: "This endpoint requires a workspace-scoped API key.",
  needsPersonalKey: "This endpoint requires a personal API key.",
  needsPlan: "API access requires a Pro, Team or Enterprise plan.",
  tooManyFailures: "Too many failed authentications from this address. Try again later.",
  rateLimited: "Rate limit exceeded. Try again after the time in X-RateLimit-Reset.",
  noMeetingAccess: "Access denied. You do not have access to this meeting.",
  notInWorkspace: "Access denied. This meeting does not belong to your workspace.",
  notYourMeeting: "Access denied. You can only delete your own meetings.",
  notYourMeetingToEdit: "Access denied. You can only edit your own meetings.",
  nothingToEdit: "Nothing to change: give at least one field to edit.",
  turnNotFound: "The meeting has no such turn.",
  speakerNotFound: "The meeting has no speaker with this label.",
  whoIsMissing: "Say who it is: a personId, a name, an email, or a name and an email.",
  whoIsUnknown: "Nobody you can see has this e-mail address: add a name.",
  whoIsBoth: "Give either a personId or an email.",
  sameSpeaker: "A speaker can't be merged with themselves.",
  turnOfOther: "All turns must be turns of this speaker.",
  allTurns: "At least one turn must stay with the speaker. Assign the speaker to somebody else instead.",
  personNotFound: "No such person.",
  samePerson: "A person can't be merged with themselves.",
  personConfirmed: "Somebody has already said who this person is.",
  personNotMerged: "This person is not merged into another.",
  versionNotFound: "This version is not kept.",
  summaryLocked: "The summary is locked by the plan's limits, so it can't be edited.",
  tooManyTasks: `A meeting can have ${LIMITS.tasksMax.toLocaleString("en")} tasks. Delete one first.`,
  unknownSearchLanguage: "SEARCH_LANGUAGE is not a text-search configuration of the database.",
  meetingNotFound: "Meeting not found",
  meetingDeleted: "Meeting deleted",
  taskNotWritable: "Task not found or not writable",
  unknownProcedure: "No such procedure.",
  unknownResource: "No such resource.",
  notFound: "Not found",
  badRequest: "Malformed HTTP request.",
  headersTooLarge: "Request headers are too large.",
  requestTimeout: "The request was not received in time.",
  badPath: "The request path is not valid percent-encoding.",
  batching: "Batching is not supported. Send one call per request.",
  batchedPath: "Batching is not supported: use httpLink instead of httpBatchLink.",
  bodyTooLarge: bodyTooLarge(LIMITS.bodyBytes),
  needsJson: "Send the body as Content-Type: application/json.",
  idempotencyKeyInvalid: "Idempotency-Key must be 1 to 255 printable ASCII characters without spaces.",
  idempotencyRunning: "A request with this Idempotency-Key is still running. Try again when it has ended.",
  idempotencyOtherBody: "This Idempotency-Key was used with another body. Use a new one.",
  secretNotRepeated: "The secret was shown in the first response only. Regenerate it if it was lost.",
  unavailable: "Service unavailable",
  starting: "The server is starting. Try again in a few seconds.",
  internal: "Internal server error",

  // The change feed.
  syncAgain: "This cursor is no longer valid. Start again without a cursor and replace the copy.",
  syncOtherInclude: "This cursor was made with another include. Start again without a cursor.",
  tooManyWaits: `At most ${LIMITS.syncWaitsAtOnce} calls of a user or workspace can wait at the same time. Try again when one has ended.`,

  // Management: the command line and the settings API.
  userNotFound: "No user has this e-mail address.",
  userIdUnknown: "No user has this id.",
  memberNotFound: "No such member.",
  memberFromElsewhere:
    "This member's account was not created in this workspace. Only the operator can create a sign-in link for it.",
  emailTaken: "Another user has this e-mail address.",
  workspaceNotFound: "No such workspace.",
  workspaceNameTaken: "Another workspace has this name.",
  workspaceNameAmbiguous: "Several workspaces have this name. Use the id.",
  severalWorkspaces:
    "There are several workspaces. Name one with --workspace (workspaces list shows them), or pass --own-workspace.",
  workspaceHasMembers: "The workspace has members. Move or remove them first.",
  keyNotFound: "No such key.",
  keyRevoked: "This key is revoked. Create a new one.",
  tagNotFound: "No such tag.",
  tagNameTaken: "The owner has another tag with this name.",
  tagOfRule:
    "A retention rule decides by one of these tags when meetings are deleted. Add or remove it in the console, on the meeting's page.",
  tagOfWebhook:
    "A webhook is limited to one of these tags, and would send the meeting. Add or remove it in the console, on the meeting's page.",
  taskNotFound: "No such task.",
  actAsNobody: "Name a user or a workspace.",
  personalKeyNeedsUser: "A personal key needs a user.",
  onlyAdminsMakeWorkspaceKeys: "Only a workspace admin can create a workspace key.",
  onlyOperator: "Only the operator of this installation can do this.",
  onlyThisUser: "Only this user can do this.",
  onlyAdmins: "Only a workspace admin can do this.",
  readOnlyKey: "This API key is read-only.",
  keyExpiryPast: "expiresAt must be in the future.",
  notYourKey: "Only its owner can manage this key.",
  tooManyPersonalKeys: `A user can have ${LIMITS.personalKeysPerUser} personal keys. Revoke one first.`,
  tooManyWorkspaceKeys: `A workspace can have ${LIMITS.workspaceKeysPerWorkspace} workspace keys. Revoke one first.`,
  webhookNotFound: "No such webhook.",
  deliveryNotFound: "No such delivery.",
  onlyAdminsMakeWorkspaceWebhooks: "Only a workspace admin can create a workspace webhook.",
  tooManyPersonalWebhooks: `A user can have ${LIMITS.personalWebhooksPerUser} personal webhooks. Delete one first.`,
  tooManyWorkspaceWebhooks: `A workspace can have ${LIMITS.workspaceWebhooksPerWorkspace} workspace webhooks. Delete one first.`,
  webhooksNeedPlan: "Webhooks require a Plus, Pro, Team or Enterprise plan.",
  webhooksNeedSecretsKey:
    "This installation has no key to encrypt webhook secrets. The operator sets SECRETS_KEY.",
  webhookUrlNotHttps: "url must be an https:// address without user name or password.",
  webhookUrlRefused: "url must not resolve to a private, local or reserved address.",
  webhookHeadersCollide: "headerName must differ from the other headers.",
  webhookDisabled: "This webhook is disabled. Enable it first.",
  webhookPaused: "This webhook is paused. Resume it first.",
  webhookNotPaused: "This webhook is not paused.",
  deliveryPending: "This delivery is still pending.",
  deliveryWithoutContent: "The content of this delivery was deleted with its meeting.",
  lastAdmin: "This is the only admin of the workspace. Make another member an admin first.",
  notInSameWorkspace: "Both must be members of the same workspace.",
  shareWithOther: "A share can't be with the owner.",
  onlyAdminsMakeIngestKeys: "Only a workspace admin can create an ingest key.",
  tooManyIngestKeys: `A workspace can have ${LIMITS.ingestKeysPerWorkspace} ingest keys. Revoke one first.`,
  tooManyTerms: "The list is full. Remove a term first, or choose a plan that allows more.",
  termNotFound: "No such term.",
  noSummarizer:
    "This installation has no model that writes summaries. The operator sets SUMMARISER_URL and SUMMARISER_MODEL.",
  tooShortForSummary: `A meeting needs ${LIMITS.summaryMinWords} spoken words for a summary.`,
  tooManySummaries: `You can ask for ${LIMITS.summariesPerDay} summaries in a day. Try again tomorrow.`,
  instructionNotFound: "No such summary instruction.",
  instructionNameTaken: "The list has another summary instruction with this name.",
  tooManyInstructions: `A list can have ${LIMITS.instructionsPerList} summary instructions. Delete one first.`,
  uploadedExport: "This is an export. The operator restores it with `minutes import` into an empty database.",
  uploadedAudio:
    "Audio can't be sent here. Upload it at /audio/v1/uploads by the tus protocol, or let the operator import it with `minutes import`; both need a transcriber: TRANSCRIBER_URL, or `minutes transcriber use`.",
  emptyAudio: "The file is empty.",
  audioTooLarge: `The recording is larger than ${LIMITS.audioBytes / 1024 / 1024} MB. Compress it, for example to MP3 with 64 kbit/s, or split it.`,
  longAudioTooLarge: `The recording is larger than ${LIMITS.longAudioBytes / 1e9} GB. Compress it, for example to MP3 with 64 kbit/s, or split it.`,
  tooMuchAudio: `Up to ${LIMITS.audioWaitingBytes / 1024 ** 3} GB and ${LIMITS.audioWaitingFiles} recordings of a workspace can wait to be transcribed. Try again later.`,
  tooMuchOwnAudio: `Up to ${LIMITS.audioOwnerBytes / 1024 ** 3} GB and ${LIMITS.audioOwnerFiles} recordings of one person can wait to be transcribed. Try again later.`,
  tooMuchSent: "The upload is longer than its Upload-Length.",
  notAudio: "The content is not audio in a known format. Use MP3, WAV, M4A, Ogg, FLAC or WebM.",
  audioCutOff: "The recording is cut off: its end or its index is missing. Export or copy it again.",
  tusVersion: "Tus-Resumable must be 1.0.0.",
  uploadMethod: "Uploads are created with POST, continued with PATCH, and deleted with DELETE.",
  uploadLength: "Upload-Length must be the file's length in bytes.",
  uploadOffset: "Upload-Offset must be a number of bytes.",
  uploadType: "Content-Type must be application/offset+octet-stream.",
  uploadMetadata: "Upload-Metadata must be names with values in base64, and UTF-8.",
  uploadOwner: "ownerEmail must be an e-mail address.",
  uploadOwnerMissing:
    "ownerEmail is required with an ingest key: the e-mail address of the recording's owner.",
  uploadOwnerGiven:
    "ownerEmail is only for ingest keys: otherwise the recording belongs to the user who uploads it. Leave it out.",
  uploadName: `filename must have at most ${LIMITS.fileNameMax} characters.`,
  uploadTime: "lastModified must be a time from 1970 to 9999.",
  uploadKeepDays: "keepDays must be a whole number of days.",
  uploadNotFound: "No such upload, or it has expired.",
  uploadBusy: "Another request is sending this upload. Try again in a few seconds.",
  otherOffset: "Upload-Offset is not the number of bytes received. Ask for it with HEAD, and continue there.",
  noRecording: "The audio of this meeting is not kept.",
  audioAddress: "There is no audio at this address, or the address has ended: get a new one.",
  tooManyPlays: "You play recordings too often. Try again soon.",
  transcriptionNotFound: "No such uploaded recording.",
  transcriptionStoring:
    "The recording has been transcribed, and its meeting is being stored. Delete the meeting instead.",
  noTranscriber:
    "Audio can't be uploaded: this installation has no transcriber. The operator runs `minutes transcriber use whisper-base`, or sets TRANSCRIBER_URL and TRANSCRIBER_MODEL.",
  noAudioDirectory:
    "Audio can't be uploaded: on PostgreSQL, the operator sets AUDIO_DIR to a directory that all processes share, and SECRETS_KEY.",
  inputTooComplex: "The input has too many values. Send it in smaller parts.",
  uploadTooComplex: "The file takes too long or too much memory to read. Split it into smaller files.",
  tooManyUploaded: `A file can hold up to ${LIMITS.uploadMeetings} meetings here. Split it, or ask the operator to import it.`,
  signIn: "Sign in first: Authorization: Bearer <token>",
  sessionNotFound: "No such session.",
  signInAgain: "The sign-in is not valid or has expired. Sign in again.",
  otherOrigin: "Changes are accepted from this installation's own pages only.",
  linkNotValid: "This link has expired or was already used. Ask for a new one.",
  wrongPassword: "The e-mail address or the password is wrong.",
  wrongPresentPassword: "The current password is wrong.",
  passkeyNotValid: "This passkey can't sign in here. Try again, or sign in another way.",
  passkeyNotAdded: "The passkey could not be added. Try again.",
  passkeyTaken: "This passkey was already added.",
  passkeyNotFound: "No such passkey.",
  companyAccountNotFound: "No such company account.",
  appNotFound: "No such connected app.",
  appTokenEnded: "This access token is not valid, has expired, or its app was disconnected.",
  tooManyPasskeys: `A user can have ${LIMITS.passkeysPerUser} passkeys. Remove one first.`,
  signInRecently: `Sign in again first: this requires a sign-in within the last ${LIMITS.recentSignInSeconds / 60} minutes.`,
  otherAccount:
    "Another account is signed in now, perhaps in another tab. Sign in again with yours to continue.",
  setupNeedsPassword: "A password is required: people sign in with one here.",
  publicLinkNotFound: "No such public link.",
  publicLinksOff: "This workspace doesn't allow links for people outside. An admin can change that.",
  publicLinkOfLocked: "The summary is locked by the plan's limits, so the meeting can't have a public link.",
  tooManyPublicLinks: `A meeting can have ${LIMITS.publicLinksPerMeeting} public links. Revoke one first.`,
  tooManyPublicLinksOfWorkspace: `A workspace can have ${LIMITS.publicLinksPerWorkspace.toLocaleString("en")} public links. Revoke one first.`,
  retentionRuleNotFound: "No such retention rule.",
  tooManyRetentionRules: `A workspace can have ${LIMITS.retentionRulesPerWorkspace} retention rules. Delete one first.`,
  erasesHeld: "Some of their meetings are on hold. Release them first, or confirm that they are erased too.",
  heldByAdmin: "An admin put this meeting on hold. Only an admin can release it.",
  invitationNotFound: "No such invitation.",
  invitationForOther: "This invitation is for another e-mail address.",
  invitedIsMember: "This person is already a member of the workspace.",
  joinedAlready: "You are already a member of this workspace.",
  invitationNeedsAccount: "Enter an e-mail address, a name and a password, or sign in first.",
  invitationNeedsAddress: "Enter an e-mail address, or sign in first.",
  tooManyAccessRequests: "You asked for access to many meetings today. Try again tomorrow.",
  calendarNeedsSecretsKey:
    "This installation has no key to encrypt calendar addresses. The operator sets SECRETS_KEY.",
  calendarUrlNotHttps: "url must be an https:// or webcal:// address without user name or password.",
  calendarUrlRefused: "url must not resolve to a private, local or reserved address.",
  eventNotFound: "No such event in your calendar.",
  eventOfRecorder: "The recorder sent this meeting's event, so it can't be unlinked.",
  digestsNeedMail: "This installation sends no e-mails. The operator sets SMTP_URL.",
  digestsNeedConfirmedAddress: "This e-mail address is not confirmed. Sign in with a link sent to it first.",
  mailNotSent: "The e-mail could not be sent. Try again later.",
  signInToAccept: "This e-mail address has an account. Sign in first, then open the invitation again.",

  notEmpty: "An export can be imported only into an empty database, and this one has other users.",

  // Ingest.
  ownerNotFound: "No member of this workspace has this e-mail address.",
  recordingNotFound: "No such recording.",
  recordingEnded: "This recording already ended with another result.",
  recordingExpired: "This recording has expired: it was not completed in time.",
  notStarted: "This recording was not started here.",
  endBeforeStart: "endTime must not be before startTime.",
  deletedMeeting: "A meeting with this externalId was deleted and is not imported again.",
  conflictingMeeting: "A different meeting with this externalId exists.",
  replacedOwner: "ownerEmail must be the owner of the meeting that is replaced.",
  erasedMeeting:
    "A person was erased from this meeting, so it can't be replaced or restored. Send the content under another externalId.",

  // Backups.
  backupOfPostgres: "This installation's data is in PostgreSQL: back it up with pg_dump.",
  backupInterrupted:
    "The backup was interrupted by another backup, or because the database was reopened. Try again.",
} as const;

/** Formats the message for a sign-in that came too soon after failed ones. */
export const tooManySignIns = (seconds: number): string =>
  `Too many failed sign-ins. Try again in ${seconds} ${seconds === 1 ? "second" : "seconds"}.`;

/** Formats `Too many wrong passwords. Try again in 8 seconds.` */
export const tooManyLinkPasswords = (seconds: number): string =>
  `Too many wrong passwords. Try again in ${seconds} ${seconds === 1 ? "second" : "seconds"}.`;

/** Formats `Too many invitations by e-mail. Try again in 8 seconds.` */
export const tooManyInvitations = (seconds: number): string =>
  `Too many invitations by e-mail. Try again in ${seconds} ${seconds === 1 ? "second" : "seconds"}.`;

/** Formats `Wrong HTTP method: this procedure uses GET.` */
export const wrongMethod = (allowed: "GET" | "POST"): string =>
  `Wrong HTTP method: this procedure uses ${allowed}.`;

/** Formats `Wrong HTTP method: this resource allows GET, HEAD, DELETE.` */
export const wrongResourceMethod = (allowed: string): string =>
  `Wrong HTTP method: this resource allows ${allowed}.`;

/**
 * Formats `The meeting has changed since version 3 and is at version 5 (summary, tasks). Read it again, then repeat the
 * edit.`
 */
export const staleVersion = (base: number, current: number, fields: readonly string[]): string =>
  base > current
    ? `The meeting has no version ${base}: it is at version ${current}.`
    : `The meeting has changed since version ${base} and is at version ${current}${
        fields.length > 0 ? ` (${fields.join(", ")})` : ""
      }. Read it again, then repeat the edit.`;

/** Formats `2 other members read the meetings of one of these tags. …` */
export const sharedTag = (readers: number): string =>
  `${readers} other ${readers === 1 ? "member reads" : "members read"} the meetings of one of these tags. Add or remove it in the console, on the meeting's page.`;

/** Formats `A retention rule names this tag or its new name. Changing the tag could delete its 2 meetings earlier. …` */
export const ruledTag = (meetings: number): string =>
  `A retention rule names this tag or its new name. Changing the tag could delete its ${meetings === 1 ? "meeting" : `${meetings} meetings`} earlier. An admin can delete the rule first.`;

/** Formats the hint for a date-time that does not say where it is meant. */
export const missingZone = (name: string): string =>
  `${name} has no time zone. Add Z for UTC, or an offset such as +02:00 with its + written as %2B.`;

/** The message for any invalid value of a field, by field name. */
export const FIELD_MESSAGES: Readonly<Record<string, string>> = {
  limit: `limit must be an integer from 1 to ${LIMITS.pageSizeMax}.`,
  cursor: "Invalid cursor format",
  startDate: "Invalid startDate format",
  endDate: "Invalid endDate format",
  userEmail: `userEmail must be a string of 1 to ${LIMITS.emailMax} characters.`,
  tag: `tag must be a tag name of 1 to ${LIMITS.tagNameMax} characters.`,
  meetingId: `meetingId must be a string of 1 to ${LIMITS.idMax} characters.`,
  taskId: `taskId must be a string of 1 to ${LIMITS.idMax} characters.`,
  completed: "completed must be true or false.",
  text: `text must be a string of 1 to ${LIMITS.taskTextMax.toLocaleString("en")} characters after trimming.`,
  wait: `wait must be an integer from 1 to ${LIMITS.syncWaitMax}.`,
  include: 'include must be ["detail"] or absent.',
  q: `q must be a string of 1 to ${LIMITS.searchQueryMax.toLocaleString("en")} characters after trimming.`,
  query: `query must be a string of 1 to ${LIMITS.searchQueryMax.toLocaleString("en")} characters after trimming.`,
};
