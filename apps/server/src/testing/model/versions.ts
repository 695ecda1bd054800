import { isDeepStrictEqual } from "node:util";
import { type Caller, isUser } from "./answers.js";
import type { Content, Meeting, Task, Version } from "./world.js";

/** The fields of a meeting by which versions keep values. Each task is a field of its own. */
function toFields({ speakers, turns, event, tasks, ...facts }: Content): Map<string, unknown> {
  return new Map<string, unknown>([
    ...Object.entries(facts),
    ["participants", speakers],
    ["transcript", turns],
    ["calendarEvent", event],
    ...tasks.map((task): [string, unknown] => [`task:${task.id}`, task]),
  ]);
}

/** Returns what makes a version of a field: the state of a task and its time don't. */
function toCompared(value: unknown): unknown {
  if (typeof value !== "object" || value === null || !("completed" in value)) return value ?? null;
  return { ...value, completed: null, createdAt: null };
}

/** Returns the number of a meeting's version. */
export const getVersion = ({ versions }: Meeting): number => versions.at(-1)?.version ?? 1;

/** Returns the author of an edit. */
export const toAuthor = (caller: Caller) =>
  isUser(caller)
    ? ({ actor: caller.user.id, actorName: caller.user.name, action: "edit" } as const)
    : ({ actor: caller.workspace.keyId ?? "", actorName: "Model", action: "edit" } as const);

/** Gives a meeting other content, and keeps what it replaces as a version. Equal content makes none. */
export function change(
  meeting: Meeting,
  content: Content,
  author: Pick<Version, "actor" | "actorName" | "action">,
): void {
  const [before, after] = [toFields(meeting.content), toFields(content)];
  const changed = [...new Set([...before.keys(), ...after.keys()])].filter(
    (field) => !isDeepStrictEqual(toCompared(before.get(field)), toCompared(after.get(field))),
  );
  meeting.content = content;
  if (changed.length === 0) return;
  meeting.versions.push({
    ...author,
    version: getVersion(meeting) + 1,
    fields: [...new Set(changed.map((field) => (field.startsWith("task:") ? "tasks" : field)))].sort(),
    replaced: new Map(changed.map((field) => [field, before.get(field) ?? null])),
  });
}

/** Returns true if a version can be read: it exists, and what all later ones replaced is kept. */
export const isKept = (meeting: Meeting, version: number): boolean =>
  version <= getVersion(meeting) &&
  meeting.versions.filter((one) => one.version > version && one.replaced).length ===
    getVersion(meeting) - version;

/** Returns what a meeting said at a version: the first later version kept what it replaced, or it is still so. */
export function getContentAt({ content, versions }: Meeting, version: number): Content {
  const fields = toFields(content);
  for (const later of versions.toReversed())
    if (later.version > version) for (const [field, value] of later.replaced ?? []) fields.set(field, value);
  const tasks = [...fields].flatMap(([field, task]) =>
    field.startsWith("task:") && task ? [task as Task] : [],
  );
  const read = <Field extends keyof Content>(field: Field, name: string = field) =>
    fields.get(name) as Content[Field];
  return {
    ...{ title: read("title"), generatedTitle: read("generatedTitle") },
    ...{ startTime: read("startTime"), endTime: read("endTime"), summary: read("summary") },
    speakers: read("speakers", "participants"),
    turns: read("turns", "transcript"),
    event: read("event", "calendarEvent"),
    tasks: tasks.sort((one, other) => one.position - other.position),
  };
}
