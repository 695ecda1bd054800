import { z } from "zod";
import { ASK_PROCEDURES } from "./ask.js";
import { CORRECTION_TEXTS } from "./correction-texts.js";
import { LIMITS } from "./limits.js";
import { meetingRange } from "./meetings.js";
import { MESSAGES } from "./messages.js";
import { PEOPLE_TEXTS } from "./people-texts.js";
import { createFieldRefusal, createRefusal, type ProcedureReferences } from "./procedure.js";
import { REFERENCE } from "./reference.js";
import { INGEST_RESOURCE_TEXTS, SETTINGS_RESOURCE_TEXTS } from "./resource-texts.js";
import { SPEAKER_TEXTS } from "./speaker-texts.js";
import { SYNC_PROCEDURES } from "./sync.js";
import { Id, trimmedText } from "./text.js";

/** How a procedure is called over REST. */
export interface Resource {
  /** `GET` and `DELETE` take their input as parameters, the others in a JSON body. */
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Path below `/rest/v1/me` and `/rest/v1/workspace`, or for ingest keys and signed-in users below `/rest/v1`. Names in braces are fields of the procedure's input. */
  readonly path: string;
  /** Operation ID with a personal key. With a workspace key, the verb is followed by `Workspace`. */
  readonly operation: string;
  /** Field of the answer that is shown only once, so that a repeated `Idempotency-Key` does not return it. */
  readonly secret?: string;
  /** True if the answer is lines of JSON. */
  readonly streams?: true;
}

/** Who calls a resource: a personal key, a workspace key, an ingest key or a signed-in user. */
export type ResourceRoutes = "me" | "workspace" | "ingest" | "settings";

/** The REST operations, by procedure. A procedure without one is not served over REST. */
export const RESOURCES: Readonly<Record<string, Resource>> = {
  "meetings.list": {
    method: "GET",
    path: "/meetings",
    operation: "listMeetings",
  },
  "meetings.get": {
    method: "GET",
    path: "/meetings/{meetingId}",
    operation: "getMeeting",
  },
  "meetings.delete": {
    method: "DELETE",
    path: "/meetings/{meetingId}",
    operation: "deleteMeeting",
  },
  "meetings.transcript": {
    method: "GET",
    path: "/meetings/{meetingId}/transcript",
    operation: "getTranscript",
  },
  "meetings.search": {
    method: "GET",
    path: "/search",
    operation: "searchMeetings",
  },
  "meetings.ask": { method: "GET", path: "/ask", operation: "askMeetings" },
  "meetings.answer": { method: "GET", path: "/answer", operation: "answerQuestion", streams: true },
  "tasks.list": { method: "GET", path: "/tasks", operation: "listTasks" },
  "tasks.get": { method: "GET", path: "/tasks/{taskId}", operation: "getTask" },
  "tasks.update": {
    method: "PATCH",
    path: "/tasks/{taskId}",
    operation: "updateTask",
  },
  "meetings.edit": { method: "PATCH", path: "/meetings/{meetingId}", operation: "updateMeeting" },
  "meetings.editTurn": {
    method: "PATCH",
    path: "/meetings/{meetingId}/transcript/{turn}",
    operation: "updateTurn",
  },
  "meetings.versions": {
    method: "GET",
    path: "/meetings/{meetingId}/versions",
    operation: "listMeetingVersions",
  },
  "meetings.version": {
    method: "GET",
    path: "/meetings/{meetingId}/versions/{version}",
    operation: "getMeetingVersion",
  },
  "meetings.restoreVersion": {
    method: "POST",
    path: "/meetings/{meetingId}/versions/{version}/restore",
    operation: "restoreMeetingVersion",
  },
  "tasks.add": { method: "POST", path: "/meetings/{meetingId}/tasks", operation: "createTask" },
  "tasks.edit": {
    method: "PATCH",
    path: "/meetings/{meetingId}/tasks/{taskId}",
    operation: "updateMeetingTask",
  },
  "tasks.delete": { method: "DELETE", path: "/tasks/{taskId}", operation: "deleteTask" },
  "speakers.list": { method: "GET", path: "/meetings/{meetingId}/speakers", operation: "listSpeakers" },
  "speakers.assign": {
    method: "PATCH",
    path: "/meetings/{meetingId}/speakers/{speakerLabel}",
    operation: "updateSpeaker",
  },
  "speakers.merge": {
    method: "POST",
    path: "/meetings/{meetingId}/speakers/{speakerLabel}/merge",
    operation: "mergeSpeakers",
  },
  "speakers.split": {
    method: "POST",
    path: "/meetings/{meetingId}/speakers/{speakerLabel}/split",
    operation: "splitSpeaker",
  },
  "people.list": { method: "GET", path: "/people", operation: "listPeople" },
  "people.show": { method: "GET", path: "/people/{personId}", operation: "getPerson" },
  "people.rename": { method: "PATCH", path: "/people/{personId}", operation: "updatePerson" },
  "people.merge": { method: "POST", path: "/people/{personId}/merge", operation: "mergePeople" },
  "people.unmerge": { method: "POST", path: "/people/{personId}/unmerge", operation: "unmergePerson" },
  "tags.list": { method: "GET", path: "/tags", operation: "listTags" },
  "changes.list": { method: "GET", path: "/changes", operation: "getChanges" },
  "recordings.start": { method: "POST", path: "/recordings", operation: "startRecording" },
  "recordings.complete": {
    method: "POST",
    path: "/recordings/{meetingId}/complete",
    operation: "completeRecording",
  },
  "recordings.fail": {
    method: "POST",
    path: "/recordings/{meetingId}/fail",
    operation: "failRecording",
  },
  "vocabulary.get": { method: "GET", path: "/recordings/vocabulary", operation: "getVocabulary" },
  "meetings.import": { method: "POST", path: "/import", operation: "importMeeting" },
  "meetings.importMany": {
    method: "POST",
    path: "/import/batch",
    operation: "importMeetings",
    streams: true,
  },
  "keys.list": { method: "GET", path: "/keys", operation: "listKeys" },
  "keys.listWorkspace": { method: "GET", path: "/keys/workspace", operation: "listWorkspaceKeys" },
  "keys.create": { method: "POST", path: "/keys", operation: "createKey", secret: "key" },
  "keys.regenerate": {
    method: "POST",
    path: "/keys/{keyId}/regenerate",
    operation: "regenerateKey",
    secret: "key",
  },
  "keys.disable": { method: "POST", path: "/keys/{keyId}/disable", operation: "disableKey" },
  "keys.enable": { method: "POST", path: "/keys/{keyId}/enable", operation: "enableKey" },
  "keys.revoke": { method: "DELETE", path: "/keys/{keyId}", operation: "revokeKey" },
  "keys.disableIngest": {
    method: "POST",
    path: "/ingest-keys/{keyId}/disable",
    operation: "disableIngestKey",
  },
  "keys.enableIngest": {
    method: "POST",
    path: "/ingest-keys/{keyId}/enable",
    operation: "enableIngestKey",
  },
  "keys.revokeIngest": { method: "DELETE", path: "/ingest-keys/{keyId}", operation: "revokeIngestKey" },
  "webhooks.list": { method: "GET", path: "/webhooks", operation: "listWebhooks" },
  "webhooks.create": { method: "POST", path: "/webhooks", operation: "createWebhook", secret: "secret" },
  "webhooks.show": { method: "GET", path: "/webhooks/{webhookId}", operation: "getWebhook" },
  "webhooks.edit": { method: "PATCH", path: "/webhooks/{webhookId}", operation: "updateWebhook" },
  "webhooks.delete": { method: "DELETE", path: "/webhooks/{webhookId}", operation: "deleteWebhook" },
  "webhooks.regenerate": {
    method: "POST",
    path: "/webhooks/{webhookId}/regenerate",
    operation: "regenerateWebhookSecret",
    secret: "secret",
  },
  "webhooks.disable": {
    method: "POST",
    path: "/webhooks/{webhookId}/disable",
    operation: "disableWebhook",
  },
  "webhooks.enable": { method: "POST", path: "/webhooks/{webhookId}/enable", operation: "enableWebhook" },
  "webhooks.resume": { method: "POST", path: "/webhooks/{webhookId}/resume", operation: "resumeWebhook" },
  "webhooks.test": { method: "POST", path: "/webhooks/{webhookId}/test", operation: "testWebhook" },
  "webhooks.deliveries": {
    method: "GET",
    path: "/webhooks/{webhookId}/deliveries",
    operation: "listDeliveries",
  },
  "webhooks.redeliverFailed": {
    method: "POST",
    path: "/webhooks/{webhookId}/redeliver-failed",
    operation: "redeliverFailed",
  },
  "webhooks.delivery": {
    method: "GET",
    path: "/deliveries/{deliveryId}",
    operation: "getDelivery",
  },
  "webhooks.request": {
    method: "GET",
    path: "/deliveries/{deliveryId}/request",
    operation: "getDeliveryRequest",
  },
  "webhooks.redeliver": {
    method: "POST",
    path: "/deliveries/{deliveryId}/redeliver",
    operation: "redeliver",
  },
  "retention.list": { method: "GET", path: "/retention/rules", operation: "listRetentionRules" },
  "retention.set": { method: "PUT", path: "/retention/rules", operation: "setRetentionRule" },
  "retention.delete": {
    method: "DELETE",
    path: "/retention/rules/{ruleId}",
    operation: "deleteRetentionRule",
  },
  "retention.preview": { method: "GET", path: "/retention/preview", operation: "previewRetention" },
  "retention.getHold": { method: "GET", path: "/retention/holds/{meetingId}", operation: "getHold" },
  "retention.hold": { method: "PUT", path: "/retention/holds/{meetingId}", operation: "holdMeeting" },
  "retention.release": {
    method: "DELETE",
    path: "/retention/holds/{meetingId}",
    operation: "releaseMeeting",
  },
};

/** Returns true if a resource takes its input in a JSON body, apart from the parameters in its path. */
export const takesBody = ({ method }: Resource): boolean => method !== "GET" && method !== "DELETE";

/** Returns a resource's operation ID, such as `listMeetings` and `listWorkspaceMeetings`. */
export const toOperationId = ({ operation }: Resource, routes: ResourceRoutes): string =>
  routes === "workspace" ? operation.replace(/^[a-z]+/, "$&Workspace") : operation;

/** Parameters of `GET /tasks/{taskId}`. */
export const TaskRef = z.strictObject({ taskId: Id.describe("The task's `id`.") });

/** Parameters of `GET /search`. */
export const SearchByText = z.strictObject({
  q: trimmedText(1, LIMITS.searchQueryMax).describe(
    "What to search for, 1 to 1,000 characters after trimming.",
  ),
  ...meetingRange,
});

const { example: MEETING_EXAMPLE, refusals: MEETING_REFUSALS } = REFERENCE["me/meetings.get"];
const TASK_EXAMPLE = { taskId: REFERENCE["me/tasks.update"].example.taskId };
const TASK_REFUSALS = [createFieldRefusal("taskId"), createRefusal(404, MESSAGES.taskNotFound)];
const TRANSCRIPT =
  "The transcript turn by turn, with speakers and, if known, the seconds from the start of the recording.";

/** Reference texts of people, speakers, corrections and versions. */
export const PEOPLE_PROCEDURES: ProcedureReferences = {
  ...PEOPLE_TEXTS,
  ...SPEAKER_TEXTS,
  ...CORRECTION_TEXTS,
};

/** Reference texts of every procedure with a resource: those of `/v1`, and those that only REST has. */
export const RESOURCE_PROCEDURES = {
  ...REFERENCE,
  ...SYNC_PROCEDURES,
  ...INGEST_RESOURCE_TEXTS,
  ...SETTINGS_RESOURCE_TEXTS,
  ...ASK_PROCEDURES,
  ...PEOPLE_PROCEDURES,
  "me/meetings.search": {
    ...REFERENCE["me/meetings.search"],
    example: { q: REFERENCE["me/meetings.search"].example.query },
    refusals: ["q", "startDate", "endDate"].map(createFieldRefusal),
  },
  "me/tasks.list": {
    ...REFERENCE["me/tasks.list"],
    refusals: [...REFERENCE["me/tasks.list"].refusals, createFieldRefusal("assignee")],
  },
  "workspace/tasks.list": {
    ...REFERENCE["workspace/tasks.list"],
    refusals: [...REFERENCE["workspace/tasks.list"].refusals, createFieldRefusal("assignee")],
  },
  "me/meetings.transcript": {
    summary: "Get the transcript of a meeting",
    description: `${TRANSCRIPT} Only meetings that the caller owns or that are shared with the caller.`,
    example: MEETING_EXAMPLE,
    refusals: MEETING_REFUSALS,
    addition: true,
  },
  "workspace/meetings.transcript": {
    summary: "Get the transcript of a meeting of the workspace",
    description: `${TRANSCRIPT} Only meetings that a current member recorded.`,
    example: MEETING_EXAMPLE,
    refusals: MEETING_REFUSALS,
    addition: true,
  },
  "me/tasks.get": {
    summary: "Get a task",
    description: "An action item of a meeting that the caller can read, as in the list of tasks.",
    example: TASK_EXAMPLE,
    refusals: TASK_REFUSALS,
    addition: true,
  },
  "workspace/tasks.get": {
    summary: "Get a task of the workspace",
    description: "An action item of a current member's meeting, as in the list of tasks.",
    example: TASK_EXAMPLE,
    refusals: TASK_REFUSALS,
    addition: true,
  },
} as const satisfies ProcedureReferences;
