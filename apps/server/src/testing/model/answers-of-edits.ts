import { type Caller, canWrite, type Expected, isUser, ok, refuse } from "./answers.js";
import { API_PLANS } from "./rules.js";
import { getContentAt, getVersion, isKept } from "./versions.js";
import type { Meeting } from "./world.js";

/** Refuses a workspace key without API access; the console has no plan. Null for others. */
export const refusePlan = (caller: Caller): Expected | null =>
  isUser(caller) || API_PLANS.includes(caller.workspace.plan)
    ? null
    : refuse(403, "API access requires a Pro, Team or Enterprise plan.");

/** Refuses a caller who can't edit a meeting, nor read its versions; null for others. */
export function refuseEditor(caller: Caller, meeting: Meeting | null): Expected | null {
  const refusal = refusePlan(caller);
  if (refusal) return refusal;
  if (meeting?.state !== "completed") return refuse(404, "Meeting not found");
  if (canWrite(caller, meeting)) return null;
  return refuse(
    403,
    isUser(caller)
      ? "Access denied. You can only edit your own meetings."
      : "Access denied. This meeting does not belong to your workspace.",
  );
}

/** Refuses an edit that is based on another version than the current one; null for others. */
export function refuseStale(meeting: Meeting, base: number): Expected | null {
  const current = getVersion(meeting);
  if (base === current) return null;
  if (base > current) return refuse(409, `The meeting has no version ${base}: it is at version ${current}.`);
  const later = meeting.versions.filter(({ version }) => version > base);
  const fields = [...new Set(later.flatMap((one) => one.fields))].join(", ");
  return refuse(
    409,
    `The meeting has changed since version ${base} and is at version ${current} (${fields}). Read it again, then repeat the edit.`,
  );
}

/** Lists the versions of a meeting. @param times when they were made, which only the service knows */
export function listVersions(
  caller: Caller,
  meeting: Meeting | null,
  times: ReadonlyMap<number, string | null>,
): Expected {
  const refusal = refuseEditor(caller, meeting);
  if (refusal || !meeting) return refusal ?? refuse(404, "Meeting not found");
  const [first] = meeting.versions;
  const earliest = { at: null, actor: null, actorName: null, action: null, fields: [] };
  return ok({
    version: getVersion(meeting),
    versions: [
      ...meeting.versions.toReversed().map(({ version, actor, actorName, action, fields }) => ({
        ...{ version, at: times.get(version) ?? "a time", actor, actorName, action, fields },
      })),
      ...(first && !first.replaced ? [] : [{ version: (first?.version ?? 2) - 1, ...earliest }]),
    ],
  });
}

/** Returns a meeting's content at a version. */
export function getMeetingVersion(caller: Caller, meeting: Meeting | null, version: number): Expected {
  const refusal = refuseEditor(caller, meeting);
  if (refusal || !meeting) return refusal ?? refuse(404, "Meeting not found");
  if (!isKept(meeting, version)) return refuse(404, "This version is not kept.");
  const { title, generatedTitle, startTime, endTime, ...then } = getContentAt(meeting, version);
  const names = new Map(then.speakers.map(({ label, name }) => [label, name]));
  const isHidden = meeting.content.summary?.locked || then.summary?.locked;
  return ok({
    ...{ meetingId: meeting.id, version, title, generatedTitle, startTime, endTime },
    summary:
      then.summary && !isHidden ? { markdown: then.summary.markdown, short: then.summary.short } : null,
    segments: then.turns.map(({ label, text }) => ({
      ...{ speakerLabel: label, speakerName: names.get(label) ?? label, text },
      ...{ startSeconds: null, endSeconds: null },
    })),
    tasks: then.tasks.map(({ id, text, completed, due, assignee }) => ({
      ...{ id, text, completed, due },
      assignee: assignee && { name: assignee.name, email: assignee.email },
    })),
  });
}
