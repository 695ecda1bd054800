/**
 * Every limit that a user can reach.
 * @see docs/specification.md#limits
 */

/** The plans of a workspace, which apply to all its members. */
export const PLANS = ["free", "plus", "pro", "team", "enterprise"] as const;
export type Plan = (typeof PLANS)[number];

/** Limits of a plan. */
export interface PlanLimits {
  /** Whether keys of both kinds work on this plan. */
  readonly apiAccess: boolean;
  /** Whether webhooks of both kinds work on this plan. */
  readonly webhooks: boolean;
  /** Recorded meetings per user and calendar month; null means unlimited. */
  readonly creditsPerMonth: number | null;
  /** Maximum duration of a meeting whose summary is not locked, in minutes. */
  readonly maxMeetingMinutes: number;
  /** Maximum number of custom vocabulary terms in each list, personal and team. */
  readonly vocabularyTerms: number;
}

/** What each plan allows. @see docs/specification.md#limits docs/open-questions.md#q13 */
export const PLAN_LIMITS: Readonly<Record<Plan, PlanLimits>> = {
  free: {
    apiAccess: false,
    webhooks: false,
    creditsPerMonth: 10,
    maxMeetingMinutes: 30,
    vocabularyTerms: 50,
  },
  plus: {
    apiAccess: false,
    webhooks: true,
    creditsPerMonth: 20,
    maxMeetingMinutes: 120,
    vocabularyTerms: 50,
  },
  pro: {
    apiAccess: true,
    webhooks: true,
    creditsPerMonth: null,
    maxMeetingMinutes: 300,
    vocabularyTerms: 50,
  },
  team: {
    apiAccess: true,
    webhooks: true,
    creditsPerMonth: null,
    maxMeetingMinutes: 300,
    vocabularyTerms: 100,
  },
  enterprise: {
    apiAccess: true,
    webhooks: true,
    creditsPerMonth: null,
    maxMeetingMinutes: 300,
    vocabularyTerms: 250,
  },
};

export const LIMITS = {
  /** Requests per window; configurable per installation. */
  ratePerMinute: 100,
  /** Failed authentications per address: the burst, and the refill rate per second. */
  failedAuthentications: 100,
  failedAuthenticationsPerSecond: 1,
  /** Length of a rate window in seconds, starting with its first call. */
  rateWindowSeconds: 60,
  pageSizeDefault: 50,
  pageSizeMax: 100,
  searchResults: 40,
  /** Months searched when neither date is given. */
  searchDefaultMonths: 6,
  /** Unicode code points after trimming. */
  taskTextMax: 10_000,
  searchQueryMax: 1_000,
  idMax: 128,
  emailMax: 254,
  nameMax: 200,
  titleMax: 1_000,
  recordingUrlMax: 2_000,
  tagNameMax: 100,
  cursorMax: 200,
  externalIdMax: 256,
  segmentTextMax: 100_000,
  segmentsMax: 100_000,
  /** Maximum number of different `speakerId`s in a transcript. */
  speakersMax: 1_000,
  segmentSecondsMax: 1_000_000,
  summaryMax: 500_000,
  tasksMax: 1_000,
  tagsMax: 100,
  attendeesMax: 1_000,
  /** Maximum size of a request body on `/v1`, in bytes. */
  bodyBytes: 256 * 1024,
  personalKeysPerUser: 3,
  workspaceKeysPerWorkspace: 10,
  personalWebhooksPerUser: 3,
  workspaceWebhooksPerWorkspace: 5,
  webhookUrlMax: 2_048,
  /** Maximum number of tags that one call adds, and removes. */
  tagsChangedAtOnce: 20,
  /** Maximum number of tags to which a webhook is limited. */
  webhookTagsMax: 20,
  /** Attempts per delivery, including the first. */
  webhookAttempts: 5,
  /** Timeout of an attempt in seconds: name resolution, connection, request and answer. */
  webhookTimeoutSeconds: 30,
  // Calendars.
  /** Maximum size of a calendar in bytes, and time to read it in seconds. */
  calendarBytes: 5 * 1024 * 1024,
  calendarTimeoutSeconds: 30,
  /** Days around the present whose events are stored. */
  calendarDaysBack: 60,
  calendarDaysAhead: 30,
  /** Maximum number of stored events, those next to the present, and of an event's attendees. */
  calendarEvents: 1_000,
  calendarAttendees: 200,
  preparedMeetings: 10,
  preparedTasks: 10,
  upcomingAttendees: 20,

  /** Maximum number of bytes read of an answer. None are stored. */
  webhookAnswerBytes: 64 * 1024,
  /** Hours for which a replaced signing secret stays valid. */
  webhookOldSecretHours: 24,
  /** Maximum number of replaced secrets that are valid at the same time. */
  webhookOldSecrets: 3,
  /** Minimum hours between two failure e-mails about one webhook. */
  webhookFailureMailHours: 1,

  // Ingest.
  ingestKeysPerWorkspace: 10,
  /** Ingest calls per window and workspace; configurable per installation. A batch is one call. */
  ingestPerMinute: 1_000,
  /** Maximum size of a request body on `/ingest/v1`, in bytes. */
  ingestBodyBytes: 32 * 1024 * 1024,
  /** Maximum bytes of concurrent ingest bodies per process. One workspace can use half. */
  ingestBytesAtOnce: 96 * 1024 * 1024,
  /** Maximum number of meetings in one call of `meetings.importMany`. */
  importBatch: 100,
  /** Minimum number of spoken words for a summary. */
  summaryMinWords: 10,
  failureReasonMax: 1_000,

  /** Maximum size in bytes of audio, which is the limit of OpenAI's endpoint and those like it. */
  audioBytes: 25 * 1024 * 1024,
  /** Maximum size in bytes of audio that is cut into parts for the transcriber, and its maximum length in seconds. */
  longAudioBytes: 2_000_000_000,
  longAudioSeconds: 12 * 3_600,
  /** Maximum size in bytes of such audio once it is converted, for the room that it takes: 64 kbit a second. */
  convertedBytes: 12 * 3_600 * 8_000,
  /** Maximum size in bytes and number of a workspace's recordings that are uploaded or wait to be transcribed. */
  audioWaitingBytes: 10 * 1024 ** 3,
  audioWaitingFiles: 500,
  /** The same of one person, also those that recorders upload for them. */
  audioOwnerBytes: 2 * 1024 ** 3,
  audioOwnerFiles: 100,
  /** Maximum number of days for which audio of meetings is kept, and its size in bytes in a workspace. */
  keptAudioDaysMax: 3_650,
  keptAudioBytes: 50 * 1024 ** 3,
  /** Minutes for which the address of kept audio works. */
  audioAddressMinutes: 10,
  /** Maximum number of uploaded recordings in a list. */
  transcriptionsListed: 100,
  /** Seconds in which an upload must begin, in which it must be complete, and for which a recording waits and its result is kept. */
  audioBeginSeconds: 600,
  audioUploadSeconds: 86_400,
  audioJobSeconds: 7 * 86_400,

  // Uploads in the console.
  /** Maximum bytes of an upload, and of concurrent uploads per process. One person can use half. */
  uploadBodyBytes: 8 * 1024 * 1024,
  uploadBytesAtOnce: 32 * 1024 * 1024,
  /** Maximum number of meetings in one uploaded file. */
  uploadMeetings: 100,
  /** Maximum number of labels that an upload can say are speakers, and of those that are not. */
  uploadLabels: 200,
  /** Maximum number of speakers in the preview of a meeting. */
  uploadSpeakersShown: 100,
  /** Maximum number of lines without a speaker listed in an upload's report. */
  uploadUnassignedLines: 1_000,
  /** Maximum number of skipped files listed of an uploaded archive. */
  uploadSkippedFiles: 1_000,
  fileNameMax: 255,

  /** Maximum number of earlier versions of a meeting that are kept. */
  versionsKept: 50,

  // The change feed.
  /** Lifetime of a change feed cursor, in days. */
  syncCursorDays: 90,
  syncCursorMax: 4_000,
  /** Maximum long-poll wait for a change, in seconds. */
  syncWaitMax: 30,
  /** Maximum number of concurrent long polls per process and user or workspace. */
  syncWaitsAtOnce: 10,
  /** Maximum characters of details in one page, roughly the size of a meeting's JSON. */
  syncPageCharacters: 4 * 1024 * 1024,

  // Settings.
  /** Lifetime of a public link in days. */
  publicLinkDaysDefault: 7,
  publicLinkDaysMax: 30,
  publicLinksPerMeeting: 10,
  publicLinksPerWorkspace: 1_000,
  /** Minimum length of a public link's password, in characters. */
  publicLinkPasswordMin: 8,
  retentionDaysMax: 36_500,
  retentionRulesPerWorkspace: 50,
  /** Maximum number of meetings that a run of a workspace's retention rules deletes. */
  retentionPerRun: 1_000,
  vocabularyTermMax: 100,
  /** Maximum number of summary instructions in each list, personal and team, and characters of one. */
  instructionsPerList: 50,
  instructionMax: 2_000,
  /** Maximum number of summaries that a user, or a workspace by its keys, asks for in a day. */
  summariesPerDay: 100,
  /** Maximum characters of the word or phrase in a title that chooses an instruction. */
  instructionWordMax: 100,
  /** Maximum characters of a language's code or name. */
  languageMax: 100,
  /** Lifetime of a `minutes login` session token, in seconds. */
  sessionSeconds: 3_600,
  /** Lifetime and idle timeout of a browser session, in seconds. */
  browserSessionSeconds: 30 * 86_400,
  browserSessionIdleSeconds: 7 * 86_400,
  /** Time for which a browser is recognized after a sign-in, in seconds. */
  knownBrowserSeconds: 180 * 86_400,
  knownBrowsersPerUser: 20,
  /** Password length in characters. */
  passwordMin: 12,
  passwordMax: 1_000,
  /** Lifetime in seconds of one-time links: set-up, sign-in, invitations. */
  setupLinkSeconds: 1_800,
  signInLinkSeconds: 900,
  invitationSeconds: 7 * 86_400,
  /** Time to complete a sign-in by passkey or company account, in seconds. */
  challengeSeconds: 600,
  /** Time after a sign-in during which people can change how they sign in and create keys, in seconds. */
  recentSignInSeconds: 900,
  passkeysPerUser: 20,
  /** Maximum requests for access to meetings that a person makes in a day, answered or not. */
  accessRequestsPerDay: 30,
  accessRequestsListed: 100,
  /** Maximum characters of each text in a browser's passkey response. */
  passkeyTextMax: 8_192,
} as const;
