/**
 * Every limit that a user can reach, in one place.
 * @see docs/specification.md#limits
 */

/** The plans that a workspace can have; its members have the plan of their workspace. */
export const PLANS = ["free", "plus", "pro", "team", "enterprise"] as const;
export type Plan = (typeof PLANS)[number];

/** What a plan allows. */
export interface PlanLimits {
  /** Keys of both kinds work on this plan. */
  readonly apiAccess: boolean;
  /** Webhooks of both kinds work on this plan. */
  readonly webhooks: boolean;
  /** Recorded meetings per user and calendar month; null is unlimited. */
  readonly creditsPerMonth: number | null;
  /** Longest meeting whose summary is not locked, in minutes. */
  readonly maxMeetingMinutes: number;
  /** Custom vocabulary terms in each list, personal and team. */
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
  /** Requests per window; an installation may change it. */
  ratePerMinute: 100,
  /** Failed authentications of one address: the burst, and the number a second after it. */
  failedAuthentications: 100,
  failedAuthenticationsPerSecond: 1,
  /** Length of the rate window, in seconds, from its first call. */
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
  tagNameMax: 100,
  cursorMax: 200,
  externalIdMax: 256,
  segmentTextMax: 100_000,
  segmentsMax: 100_000,
  segmentSecondsMax: 1_000_000,
  summaryMax: 500_000,
  tasksMax: 1_000,
  tagsMax: 100,
  attendeesMax: 1_000,
  /** Bytes of a request body on `/v1`. */
  bodyBytes: 256 * 1024,
  personalKeysPerUser: 3,
  workspaceKeysPerWorkspace: 10,
  personalWebhooksPerUser: 3,
  workspaceWebhooksPerWorkspace: 5,
  webhookUrlMax: 2_048,
  /** Attempts of a delivery, the first included. */
  webhookAttempts: 5,
  /** For name resolution, connection, request and answer together. */
  webhookTimeoutSeconds: 30,
  /** Most bytes of an answer that are read; none are stored. */
  webhookAnswerBytes: 64 * 1024,
  /** Hours for which a signing secret that was replaced still signs. */
  webhookOldSecretHours: 24,
  /** Replaced secrets that sign at once. */
  webhookOldSecrets: 3,
  /** Hours between two failure e-mails about one webhook. */
  webhookFailureMailHours: 1,

  // Ingest.
  ingestKeysPerWorkspace: 10,
  /** Ingest calls per window and workspace; an installation may change it. A batch is one call. */
  ingestPerMinute: 1_000,
  /** Bytes of a request body on `/ingest/v1`. */
  ingestBodyBytes: 32 * 1024 * 1024,
  /** Most bytes of such bodies in one process at once; those of one workspace take up to half. */
  ingestBytesAtOnce: 96 * 1024 * 1024,
  /** Meetings in one call of `meetings.importMany`. */
  importBatch: 100,
  /** Fewest spoken words for which a meeting gets a summary. */
  summaryMinWords: 10,
  failureReasonMax: 1_000,

  // Uploads in the console.
  /** Bytes of an upload, and most bytes of uploads in one process at once; those of one person take up to half. */
  uploadBodyBytes: 8 * 1024 * 1024,
  uploadBytesAtOnce: 32 * 1024 * 1024,
  /** Meetings in one uploaded file. */
  uploadMeetings: 100,
  fileNameMax: 255,

  // The change feed.
  /** Days that a cursor of the change feed lasts. */
  syncCursorDays: 90,
  syncCursorMax: 4_000,
  /** Seconds that a call may wait for a change. */
  syncWaitMax: 30,
  /** Calls of one user or workspace that wait at once in one process. */
  syncWaitsAtOnce: 10,
  /** Characters of details in one page, a meeting's JSON more or less. */
  syncPageCharacters: 4 * 1024 * 1024,

  // Settings.
  vocabularyTermMax: 100,
  /** Seconds that a session token of `minutes login` lasts. */
  sessionSeconds: 3_600,
  /** Seconds that a browser's session lasts at most, and without use. */
  browserSessionSeconds: 30 * 86_400,
  browserSessionIdleSeconds: 7 * 86_400,
  /** Characters of a password. */
  passwordMin: 12,
  passwordMax: 1_000,
  /** Validity of one-time links in seconds: set-up, sign-in, invitations. */
  setupLinkSeconds: 1_800,
  signInLinkSeconds: 900,
  invitationSeconds: 7 * 86_400,
  /** Seconds in which a sign-in by passkey or by a company's account must be completed. */
  challengeSeconds: 600,
  /** Seconds after a sign-in in which a passkey can be added. */
  recentSignInSeconds: 900,
  passkeysPerUser: 20,
  /** Characters of each text in what a browser sends of a passkey. */
  passkeyTextMax: 8_192,
} as const;
