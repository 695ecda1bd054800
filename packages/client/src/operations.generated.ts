// Generated from the declarations of @minutes/contract by `pnpm --filter @minutes/client generate`.

/** Method and path below the mount of the operations that are called over REST. */
export const ROUTES = {
  "meetings.getVersion": "GET /meetings/{meetingId}/versions/{version}",
  "meetings.listVersions": "GET /meetings/{meetingId}/versions",
  "meetings.restoreVersion": "POST /meetings/{meetingId}/versions/{version}/restore",
  "meetings.summarize": "POST /meetings/{meetingId}/summary",
  "meetings.transcript": "GET /meetings/{meetingId}/transcript",
  "meetings.update": "PATCH /meetings/{meetingId}",
  "meetings.updateTask": "PATCH /meetings/{meetingId}/tasks/{taskId}",
  "meetings.updateTurn": "PATCH /meetings/{meetingId}/transcript/{turn}",
  "people.confirm": "POST /people/{personId}/confirm",
  "people.get": "GET /people/{personId}",
  "people.list": "GET /people",
  "people.merge": "POST /people/{personId}/merge",
  "people.unmerge": "POST /people/{personId}/unmerge",
  "people.update": "PATCH /people/{personId}",
  "speakers.assign": "PATCH /meetings/{meetingId}/speakers/{speakerLabel}",
  "speakers.list": "GET /meetings/{meetingId}/speakers",
  "speakers.merge": "POST /meetings/{meetingId}/speakers/{speakerLabel}/merge",
  "speakers.split": "POST /meetings/{meetingId}/speakers/{speakerLabel}/split",
  "tasks.create": "POST /meetings/{meetingId}/tasks",
  "tasks.delete": "DELETE /tasks/{taskId}",
  "tasks.list": "GET /tasks",
} as const;

/** Writes that the service runs once per idempotency key: those that are a `POST` over REST. */
export const CREATES = [
  "instructions.create",
  "keys.create",
  "keys.disable",
  "keys.enable",
  "keys.regenerate",
  "meetings.import",
  "publicLinks.create",
  "recordings.complete",
  "recordings.fail",
  "recordings.start",
  "webhooks.create",
  "webhooks.disable",
  "webhooks.enable",
  "webhooks.redeliver",
  "webhooks.redeliverFailed",
  "webhooks.regenerate",
  "webhooks.resume",
  "webhooks.test",
] as const;
