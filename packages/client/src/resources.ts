import type { Operation } from "@trpc/client";
import type { Target } from "./target.js";

/** How each procedure of people and corrections is called over REST: method and path. */
export const OPERATIONS: Readonly<Record<string, string>> = {
  "people.list": "GET /people",
  "people.show": "GET /people/{personId}",
  "people.rename": "PATCH /people/{personId}",
  "people.merge": "POST /people/{personId}/merge",
  "people.unmerge": "POST /people/{personId}/unmerge",
  "speakers.list": "GET /meetings/{meetingId}/speakers",
  "speakers.assign": "PATCH /meetings/{meetingId}/speakers/{speakerLabel}",
  "speakers.merge": "POST /meetings/{meetingId}/speakers/{speakerLabel}/merge",
  "speakers.split": "POST /meetings/{meetingId}/speakers/{speakerLabel}/split",
  "meetings.edit": "PATCH /meetings/{meetingId}",
  "meetings.editTurn": "PATCH /meetings/{meetingId}/transcript/{turn}",
  "meetings.versions": "GET /meetings/{meetingId}/versions",
  "meetings.version": "GET /meetings/{meetingId}/versions/{version}",
  "meetings.restoreVersion": "POST /meetings/{meetingId}/versions/{version}/restore",
  "tasks.add": "POST /meetings/{meetingId}/tasks",
  "tasks.edit": "PATCH /meetings/{meetingId}/tasks/{taskId}",
  "tasks.delete": "DELETE /tasks/{taskId}",
};

/** Builds the REST request of a procedure: fields in the path, the others as parameters or in a JSON body. */
export function aimAtResource({ path, input }: Operation): Target {
  const [method, template] = (OPERATIONS[path] ?? "").split(" ");
  if (!method || !template) throw new TypeError(`There is no procedure ${path}.`);
  const fields = new Map(Object.entries(input ?? {}).filter(([, value]) => value !== undefined));
  const filled = template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = fields.get(name);
    if (value == null) throw new TypeError(`${name} is missing.`);
    fields.delete(name);
    return encodeURIComponent(String(value));
  });
  const hasBody = method !== "GET" && method !== "DELETE";
  const parameters = Object.fromEntries([...fields].map(([name, value]) => [name, String(value)]));
  const query = new URLSearchParams(parameters).toString();
  return {
    method: method as Target["method"],
    path: hasBody || query === "" ? filled : `${filled}?${query}`,
    body: hasBody ? JSON.stringify(Object.fromEntries(fields)) : null,
    runsOnce: method === "POST",
    isBare: true,
    streams: false,
  };
}
