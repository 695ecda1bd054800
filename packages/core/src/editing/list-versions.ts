import type { MeetingVersion, MeetingVersions, VersionRef } from "@minutes/contract";
import { type Database, schema, yieldToEventLoop } from "@minutes/db";
import { desc, eq, sql } from "drizzle-orm";
import { type Caller, requireEditable } from "../access/index.js";
import {
  isSummaryHidden,
  readSnapshot,
  readVersionDifferences,
  type StoredSummary,
  type StoredTurn,
} from "../versions/index.js";

const { apiKeys, ingestKeys, meetingVersionContents, meetingVersions, users } = schema;

/**
 * Lists the versions of a meeting that are kept, newest first. Only those who may edit the meeting can read them.
 * @throws ApiError 404, 403
 */
export async function listVersions(
  db: Database,
  caller: Caller,
  meetingId: string,
): Promise<MeetingVersions> {
  await requireEditable(db, caller, meetingId);
  const actorName = sql<string | null>`coalesce(
    (select u.name from ${users} u where u.id = ${meetingVersions.actor}),
    (select k.name from ${apiKeys} k where k.id = ${meetingVersions.actor}),
    (select i.name from ${ingestKeys} i where i.id = ${meetingVersions.actor}))`;
  const { version, at, actor, action, fields } = meetingVersions;
  const rows = await db
    .select({
      ...{ version, at, actor, actorName, action, fields },
      hasContent: sql<boolean>`exists (select from ${meetingVersionContents} c
        where c.meeting_id = meeting_versions.meeting_id and c.version = meeting_versions.version)`,
    })
    .from(meetingVersions)
    .where(eq(meetingVersions.meetingId, meetingId))
    .orderBy(desc(meetingVersions.version));
  const listed = rows.map(({ hasContent: _, ...row }) => row);
  const last = rows.at(-1);
  const isFirstKept = last === undefined || last.hasContent;
  const earliest = { at: null, actor: null, actorName: null, action: null, fields: [] };
  return {
    version: rows[0]?.version ?? 1,
    versions: isFirstKept ? [...listed, { version: (last?.version ?? 2) - 1, ...earliest }] : listed,
  };
}

/** Parses a stored value; undefined if there is none. */
const parse = <Value>(content: string | null | undefined): Value | undefined =>
  content === null || content === undefined ? undefined : (JSON.parse(content) as Value);

/**
 * Reads the content of a meeting at a version, without a summary that is locked.
 * @throws ApiError 404 for an unknown meeting and for a version that isn't kept, 403
 */
export async function getVersion(
  db: Database,
  caller: Caller,
  { meetingId, version }: VersionRef,
): Promise<MeetingVersion> {
  await requireEditable(db, caller, meetingId);
  // One transaction, so that no edit comes between the two reads.
  const { values, isHidden, turns, labels } = await db.transaction(
    async (tx) => {
      const { values: earlier, turns, labels } = await readVersionDifferences(tx, meetingId, version);
      const current = await readSnapshot(tx, meetingId, [
        "facts",
        "summary",
        "participants",
        "transcript",
        "tasks",
      ]);
      const isHidden = await isSummaryHidden(tx, meetingId);
      return { values: new Map([...current, ...earlier]), isHidden, turns, labels };
    },
    { isolationLevel: "repeatable read", accessMode: "read only" },
  );
  const summary = values.get("summary") ?? null;
  const participants = parse<StoredParticipant[]>(values.get("participants")) ?? [];
  const names = new Map(participants.map(({ id, name }) => [id, name]));
  const segments: MeetingVersion["segments"] = [];
  for (const [position, turn] of (parse<StoredTurn[]>(values.get("transcript")) ?? []).entries()) {
    if (position % 500 === 0) await yieldToEventLoop();
    const [label, text, startSeconds, endSeconds] = turns.get(position) ?? turn;
    const speakerLabel = labels.get(position) ?? label;
    segments.push({
      speakerLabel,
      speakerName: names.get(speakerLabel) ?? speakerLabel,
      text,
      startSeconds,
      endSeconds,
    });
  }
  const tasks = [...values]
    .filter(([field, content]) => field.startsWith("task:") && content !== null)
    .map(([, content]) => JSON.parse(content ?? "") as StoredTask)
    .sort((left, right) => left.position - right.position);
  const shown = isHidden(summary) ? null : parse<StoredSummary>(summary);
  return {
    meetingId,
    version,
    title: parse<string>(values.get("title")) ?? "",
    generatedTitle: parse<string>(values.get("generatedTitle")) ?? null,
    startTime: toInstant(parse<string>(values.get("startTime")) ?? ""),
    endTime: toInstantOrNull(parse<string>(values.get("endTime"))),
    summary: shown ? { markdown: shown.markdown, short: shown.short, origin: shown.origin ?? null } : null,
    segments,
    tasks: tasks.map((task) => ({
      ...{ id: task.id, text: task.text, completed: task.completed, due: task.due_on },
      assignee: task.assignee_name === null ? null : { name: task.assignee_name, email: task.assignee_email },
    })),
  };
}

interface StoredParticipant {
  readonly id: string;
  readonly name: string;
}

/** The columns of a task that a version shows. */
interface StoredTask {
  readonly id: string;
  readonly position: number;
  readonly text: string;
  readonly completed: boolean;
  readonly assignee_name: string | null;
  readonly assignee_email: string | null;
  readonly due_on: string | null;
}

const toInstant = (time: string): string => new Date(time).toISOString();
const toInstantOrNull = (time: string | undefined): string | null =>
  time === undefined ? null : toInstant(time);
