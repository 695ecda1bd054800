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

/** Defines a resource by its method and path, such as `GET /meetings`, and its operation. */
const at = (
  place: `${Resource["method"]} /${string}`,
  operation: string,
  more: Pick<Resource, "secret" | "streams"> = {},
): Resource => {
  const [method, path] = place.split(" ") as [Resource["method"], string];
  return { method, path, operation, ...more };
};

/** The REST operations, by procedure. A procedure without one is not served over REST. */
export const RESOURCES: Readonly<Record<string, Resource>> = {
  "meetings.list": at("GET /meetings", "listMeetings"),
  "meetings.get": at("GET /meetings/{meetingId}", "getMeeting"),
  "meetings.delete": at("DELETE /meetings/{meetingId}", "deleteMeeting"),
  "meetings.transcript": at("GET /meetings/{meetingId}/transcript", "getTranscript"),
  "meetings.search": at("GET /search", "searchMeetings"),
  "meetings.ask": at("GET /ask", "askMeetings"),
  "meetings.answer": at("GET /answer", "answerQuestion", { streams: true }),
  "tasks.list": at("GET /tasks", "listTasks"),
  "tasks.get": at("GET /tasks/{taskId}", "getTask"),
  "tasks.update": at("PATCH /tasks/{taskId}", "updateTask"),
  "meetings.edit": at("PATCH /meetings/{meetingId}", "updateMeeting"),
  "meetings.editTurn": at("PATCH /meetings/{meetingId}/transcript/{turn}", "updateTurn"),
  "meetings.versions": at("GET /meetings/{meetingId}/versions", "listMeetingVersions"),
  "meetings.version": at("GET /meetings/{meetingId}/versions/{version}", "getMeetingVersion"),
  "meetings.restoreVersion": at(
    "POST /meetings/{meetingId}/versions/{version}/restore",
    "restoreMeetingVersion",
  ),
  "tasks.add": at("POST /meetings/{meetingId}/tasks", "createTask"),
  "tasks.edit": at("PATCH /meetings/{meetingId}/tasks/{taskId}", "updateMeetingTask"),
  "tasks.delete": at("DELETE /tasks/{taskId}", "deleteTask"),
  "speakers.list": at("GET /meetings/{meetingId}/speakers", "listSpeakers"),
  "speakers.assign": at("PATCH /meetings/{meetingId}/speakers/{speakerLabel}", "updateSpeaker"),
  "speakers.merge": at("POST /meetings/{meetingId}/speakers/{speakerLabel}/merge", "mergeSpeakers"),
  "speakers.split": at("POST /meetings/{meetingId}/speakers/{speakerLabel}/split", "splitSpeaker"),
  "people.list": at("GET /people", "listPeople"),
  "people.show": at("GET /people/{personId}", "getPerson"),
  "people.rename": at("PATCH /people/{personId}", "updatePerson"),
  "people.merge": at("POST /people/{personId}/merge", "mergePeople"),
  "people.unmerge": at("POST /people/{personId}/unmerge", "unmergePerson"),
  "tags.list": at("GET /tags", "listTags"),
  "changes.list": at("GET /changes", "getChanges"),
  "recordings.start": at("POST /recordings", "startRecording"),
  "recordings.complete": at("POST /recordings/{meetingId}/complete", "completeRecording"),
  "recordings.fail": at("POST /recordings/{meetingId}/fail", "failRecording"),
  "vocabulary.get": at("GET /recordings/vocabulary", "getVocabulary"),
  "meetings.import": at("POST /import", "importMeeting"),
  "meetings.importMany": at("POST /import/batch", "importMeetings", { streams: true }),
  "keys.list": at("GET /keys", "listKeys"),
  "keys.listWorkspace": at("GET /keys/workspace", "listWorkspaceKeys"),
  "keys.create": at("POST /keys", "createKey", { secret: "key" }),
  "keys.regenerate": at("POST /keys/{keyId}/regenerate", "regenerateKey", { secret: "key" }),
  "keys.disable": at("POST /keys/{keyId}/disable", "disableKey"),
  "keys.enable": at("POST /keys/{keyId}/enable", "enableKey"),
  "keys.revoke": at("DELETE /keys/{keyId}", "revokeKey"),
  "keys.disableIngest": at("POST /ingest-keys/{keyId}/disable", "disableIngestKey"),
  "keys.enableIngest": at("POST /ingest-keys/{keyId}/enable", "enableIngestKey"),
  "keys.revokeIngest": at("DELETE /ingest-keys/{keyId}", "revokeIngestKey"),
  "webhooks.list": at("GET /webhooks", "listWebhooks"),
  "webhooks.create": at("POST /webhooks", "createWebhook", { secret: "secret" }),
  "webhooks.show": at("GET /webhooks/{webhookId}", "getWebhook"),
  "webhooks.edit": at("PATCH /webhooks/{webhookId}", "updateWebhook"),
  "webhooks.delete": at("DELETE /webhooks/{webhookId}", "deleteWebhook"),
  "webhooks.regenerate": at("POST /webhooks/{webhookId}/regenerate", "regenerateWebhookSecret", {
    secret: "secret",
  }),
  "webhooks.disable": at("POST /webhooks/{webhookId}/disable", "disableWebhook"),
  "webhooks.enable": at("POST /webhooks/{webhookId}/enable", "enableWebhook"),
  "webhooks.resume": at("POST /webhooks/{webhookId}/resume", "resumeWebhook"),
  "webhooks.test": at("POST /webhooks/{webhookId}/test", "testWebhook"),
  "webhooks.deliveries": at("GET /webhooks/{webhookId}/deliveries", "listDeliveries"),
  "webhooks.redeliverFailed": at("POST /webhooks/{webhookId}/redeliver-failed", "redeliverFailed"),
  "webhooks.delivery": at("GET /deliveries/{deliveryId}", "getDelivery"),
  "webhooks.request": at("GET /deliveries/{deliveryId}/request", "getDeliveryRequest"),
  "webhooks.redeliver": at("POST /deliveries/{deliveryId}/redeliver", "redeliver"),
  "retention.list": at("GET /retention/rules", "listRetentionRules"),
  "retention.set": at("PUT /retention/rules", "setRetentionRule"),
  "retention.delete": at("DELETE /retention/rules/{ruleId}", "deleteRetentionRule"),
  "retention.preview": at("GET /retention/preview", "previewRetention"),
  "retention.getHold": at("GET /retention/holds/{meetingId}", "getHold"),
  "retention.hold": at("PUT /retention/holds/{meetingId}", "holdMeeting"),
  "retention.release": at("DELETE /retention/holds/{meetingId}", "releaseMeeting"),
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
