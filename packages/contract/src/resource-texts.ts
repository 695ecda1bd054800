import { MESSAGES } from "./messages.js";
import { createRefusal, type ProcedureReference, type Refusal } from "./procedure.js";
import { RETENTION_TEXTS } from "./retention.js";

/** Writes the texts of a resource outside `/rest/v1/me` and `/rest/v1/workspace`. */
const describe = (
  summary: string,
  description: string,
  example: ProcedureReference["example"],
  ...refusals: Refusal[]
): ProcedureReference => ({ summary, description, example, refusals, addition: true });

const MEETING = {
  externalId: "calendar-event-1",
  ownerEmail: "owner@example.com",
  title: "Weekly planning",
  startTime: "2026-01-15T09:30:00.000Z",
};
const END = { endTime: "2026-01-15T10:00:00.000Z" };
const OWNER_UNKNOWN = createRefusal(404, MESSAGES.ownerNotFound);
const RECORDING_UNKNOWN = createRefusal(404, MESSAGES.recordingNotFound);
const KEY_UNKNOWN = createRefusal(404, MESSAGES.keyNotFound);
const WEBHOOK_UNKNOWN = createRefusal(404, MESSAGES.webhookNotFound);
const DELIVERY_UNKNOWN = createRefusal(404, MESSAGES.deliveryNotFound);
const ONLY_ADMINS = createRefusal(403, MESSAGES.onlyAdmins);
const RECENT = createRefusal(403, MESSAGES.signInRecently);
const RECORDING = { meetingId: "mtg_example" };
const KEY = { keyId: "key_example" };
const WEBHOOK = { webhookId: "whk_example" };
const DELIVERY = { deliveryId: "1" };

/** Reference texts of the resources for ingest keys. */
export const INGEST_RESOURCE_TEXTS = {
  "ingest/recordings.start": describe(
    "Start a recording",
    "Announces a recording. The same `externalId` again returns the same recording.",
    MEETING,
    OWNER_UNKNOWN,
    createRefusal(409, MESSAGES.deletedMeeting),
  ),
  "ingest/recordings.complete": describe(
    "Complete a recording",
    "Adds the transcript and everything else. The meeting becomes visible. Repeat the call to poll its state.",
    { ...RECORDING, ...END },
    RECORDING_UNKNOWN,
    createRefusal(409, MESSAGES.recordingEnded),
    createRefusal(409, MESSAGES.recordingExpired),
  ),
  "ingest/recordings.fail": describe(
    "Fail a recording",
    "Ends a recording that produced nothing.",
    { ...RECORDING, reason: "The recording stopped." },
    RECORDING_UNKNOWN,
    createRefusal(409, MESSAGES.recordingEnded),
  ),
  "ingest/meetings.import": describe(
    "Import a meeting",
    "Stores a complete meeting. The same meeting again changes nothing.",
    { ...MEETING, ...END },
    OWNER_UNKNOWN,
    createRefusal(409, MESSAGES.conflictingMeeting),
    createRefusal(409, MESSAGES.deletedMeeting),
  ),
  "ingest/meetings.importMany": describe(
    "Import several meetings",
    "Answers with one line of JSON for each meeting, in order: that of a single import, or its `status` and `error`.",
    { meetings: [{ ...MEETING, ...END }] },
  ),
  "ingest/vocabulary.get": describe(
    "Get a user's vocabulary",
    "Terms that speech recognition should know.",
    { ownerEmail: MEETING.ownerEmail },
    OWNER_UNKNOWN,
  ),
} as const;

/** Reference texts of the resources for signed-in users. */
export const SETTINGS_RESOURCE_TEXTS = {
  "settings/keys.list": describe("List personal keys", "The caller's keys, also revoked ones.", {}),
  "settings/keys.listWorkspace": describe(
    "List keys of the workspace",
    "Its API keys and ingest keys, also revoked ones; for admins.",
    {},
    ONLY_ADMINS,
  ),
  "settings/keys.create": describe(
    "Create a key",
    "The value is shown only in this answer. Workspace and ingest keys are for admins. Needs a recent sign-in.",
    { kind: "personal", name: "My script" },
    RECENT,
    createRefusal(403, MESSAGES.onlyAdminsMakeWorkspaceKeys),
    createRefusal(409, MESSAGES.tooManyPersonalKeys),
  ),
  "settings/keys.regenerate": describe(
    "Regenerate a key",
    "Replaces its value at once. The new one is shown only in this answer. Needs a recent sign-in.",
    KEY,
    RECENT,
    KEY_UNKNOWN,
  ),
  "settings/keys.disable": describe("Disable a key", "It is refused until it is enabled.", KEY, KEY_UNKNOWN),
  "settings/keys.enable": describe("Enable a key", "A disabled key works again.", KEY, KEY_UNKNOWN),
  "settings/keys.revoke": describe("Revoke a key", "It never works again.", KEY, KEY_UNKNOWN),
  "settings/keys.disableIngest": describe(
    "Disable an ingest key",
    "It is refused until it is enabled; for admins.",
    KEY,
    KEY_UNKNOWN,
  ),
  "settings/keys.enableIngest": describe(
    "Enable an ingest key",
    "A disabled ingest key works again; for admins.",
    KEY,
    KEY_UNKNOWN,
  ),
  "settings/keys.revokeIngest": describe(
    "Revoke an ingest key",
    "It never works again; for admins.",
    KEY,
    KEY_UNKNOWN,
  ),
  "settings/webhooks.list": describe(
    "List webhooks",
    "The caller's webhooks and the workspace's, with the results of the last 24 hours.",
    {},
  ),
  "settings/webhooks.create": describe(
    "Create a webhook",
    "The secret is shown only in this answer. Webhooks of the workspace are for admins.",
    { kind: "personal", name: "Example", url: "https://hooks.example.com/minutes" },
    createRefusal(400, MESSAGES.webhookUrlNotHttps),
    createRefusal(403, MESSAGES.webhooksNeedPlan),
    createRefusal(409, MESSAGES.tooManyPersonalWebhooks),
  ),
  "settings/webhooks.show": describe("Get a webhook", "Without its secret.", WEBHOOK, WEBHOOK_UNKNOWN),
  "settings/webhooks.edit": describe(
    "Change a webhook",
    "Absent fields stay unchanged.",
    { ...WEBHOOK, name: "Example" },
    WEBHOOK_UNKNOWN,
  ),
  "settings/webhooks.delete": describe(
    "Delete a webhook",
    "What waits for it is not sent.",
    WEBHOOK,
    WEBHOOK_UNKNOWN,
  ),
  "settings/webhooks.regenerate": describe(
    "Regenerate a webhook's secret",
    "The new one is shown only in this answer. With signatures, the old one signs for 24 more hours.",
    WEBHOOK,
    WEBHOOK_UNKNOWN,
  ),
  "settings/webhooks.disable": describe("Disable a webhook", "Nothing is sent.", WEBHOOK, WEBHOOK_UNKNOWN),
  "settings/webhooks.enable": describe(
    "Enable a webhook",
    "New deliveries are sent again.",
    WEBHOOK,
    WEBHOOK_UNKNOWN,
  ),
  "settings/webhooks.resume": describe(
    "Resume a paused webhook",
    "Sends or skips what it missed.",
    { ...WEBHOOK, replay: true },
    WEBHOOK_UNKNOWN,
    createRefusal(409, MESSAGES.webhookNotPaused),
  ),
  "settings/webhooks.test": describe(
    "Test a webhook",
    "Sends a sample.",
    WEBHOOK,
    WEBHOOK_UNKNOWN,
    createRefusal(409, MESSAGES.webhookDisabled),
  ),
  "settings/webhooks.deliveries": describe(
    "List deliveries of a webhook",
    "Newest first, without content.",
    { ...WEBHOOK, limit: 20 },
    WEBHOOK_UNKNOWN,
  ),
  "settings/webhooks.redeliverFailed": describe(
    "Redeliver failed deliveries",
    "Those that were created in a range of time.",
    { ...WEBHOOK, from: MEETING.startTime, to: END.endTime },
    WEBHOOK_UNKNOWN,
    createRefusal(409, MESSAGES.webhookDisabled),
  ),
  "settings/webhooks.delivery": describe("Get a delivery", "With its attempts.", DELIVERY, DELIVERY_UNKNOWN),
  "settings/webhooks.request": describe(
    "Get the request of a delivery",
    "Its headers without the secret, and its body for those who can read the meeting.",
    DELIVERY,
    DELIVERY_UNKNOWN,
  ),
  "settings/webhooks.redeliver": describe(
    "Redeliver a delivery",
    "Sends it again.",
    DELIVERY,
    DELIVERY_UNKNOWN,
    createRefusal(409, MESSAGES.deliveryPending),
  ),
  ...RETENTION_TEXTS,
} as const;
