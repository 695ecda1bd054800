import {
  LIMITS,
  MESSAGES,
  type RequestedSummary,
  type SummarizeMeeting,
  type SummaryInstruction,
} from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { eq, sql } from "drizzle-orm";
import { authorOf, type Caller, requireEditable } from "../access/index.js";
import { countTowardsDay } from "../api/rate-limit/index.js";
import { ApiError, notFoundIfDeleted } from "../lib/errors.js";
import { generateId } from "../lib/ids.js";
import { chooseInstruction, listInstructions, toOrigin } from "../workspaces/instructions/index.js";
import { isTooShortToSummarise } from "../workspaces/plans/index.js";
import type { SummaryQueue } from "./processing.js";

const { calendarEvents, meetings, meetingTags, summaries, summaryRequests, tags } = schema;

/**
 * Asks the summarizer to write a meeting's summary again. The summary is replaced, and kept as a version, when it is
 * written. A request replaces one that still waits.
 * @throws ApiError 404 for an unknown meeting or instruction, 403, 409 without a summarizer, for a locked summary and for a
 * meeting that is too short for one, 429 after many in a day
 */
export async function requestSummary(
  db: Database,
  caller: Caller,
  queue: SummaryQueue,
  { meetingId, instruction, language }: SummarizeMeeting,
): Promise<RequestedSummary> {
  await requireEditable(db, caller, meetingId);
  if (!queue.enabled) throw new ApiError("CONFLICT", MESSAGES.noSummarizer);
  const meeting = await readMeeting(db, meetingId);
  if (!meeting) throw new ApiError("NOT_FOUND", MESSAGES.meetingNotFound);
  if (meeting.locked) throw new ApiError("CONFLICT", MESSAGES.summaryLocked);
  if (isTooShortToSummarise(meeting.firstTurns.map((text) => ({ text }))))
    throw new ApiError("CONFLICT", MESSAGES.tooShortForSummary);
  const { ownerId: userId, workspaceId } = meeting;
  const { personal, team } = await listInstructions(db, { userId, workspaceId });
  const told =
    instruction === undefined
      ? chooseInstruction([...personal, ...team], meeting)
      : instruction === null
        ? null
        : // The workspace's key names no personal ones.
          findInstruction(caller.kind === "user" ? [...personal, ...team] : team, instruction);
  const holder = caller.kind === "user" ? caller.userId : caller.workspaceId;
  const count = { what: "summaries", userId: holder, amount: 1, limit: LIMITS.summariesPerDay };
  if (!(await countTowardsDay(db, count))) throw new ApiError("TOO_MANY_REQUESTS", MESSAGES.tooManySummaries);
  const origin = toOrigin(told, language);
  const request = {
    ...{ id: generateId("sum"), workspaceId, actor: authorOf(caller) },
    ...{ origin: origin && JSON.stringify(origin), failed: false, attempts: 0 },
    ...{ dueAt: sql`now()`, expiresAt: sql`now() + interval '1 day'` },
  };
  await db
    .insert(summaryRequests)
    .values({ meetingId, ...request })
    .onConflictDoUpdate({ target: summaryRequests.meetingId, set: request })
    .catch(notFoundIfDeleted(MESSAGES.meetingNotFound));
  queue.wake();
  return { meetingId, instruction: origin?.name ?? null, language: origin?.language ?? null };
}

/** Finds an instruction by its ID or name, ignoring case. @throws ApiError 404 */
function findInstruction(instructions: readonly SummaryInstruction[], sought: string): SummaryInstruction {
  const name = sought.trim().toLowerCase();
  const found =
    instructions.find(({ id }) => id === sought) ??
    instructions.find((one) => one.name === sought) ??
    instructions.find((one) => one.name.toLowerCase() === name);
  if (!found) throw new ApiError("NOT_FOUND", MESSAGES.instructionNotFound);
  return found;
}

interface StoredMeeting {
  readonly ownerId: string;
  readonly workspaceId: string;
  readonly locked: boolean;
  readonly tags: string[];
  readonly titles: string[];
  /** As many as it takes to see whether the meeting is too short. */
  readonly firstTurns: string[];
}

async function readMeeting(db: Database, meetingId: string): Promise<StoredMeeting | undefined> {
  const [meeting] = await db
    .select({
      ownerId: meetings.userId,
      workspaceId: meetings.workspaceId,
      locked: sql<boolean>`coalesce((select s.locked from ${summaries} s where s.meeting_id = ${meetingId}), false)`,
      tags: sql<
        string[]
      >`coalesce((select json_agg(t.name) from ${meetingTags} k join ${tags} t on t.id = k.tag_id
        where k.meeting_id = ${meetingId}), '[]')`,
      titles: sql<string[]>`array_to_json(array_remove(array[${meetings.title},
        (select e.title from ${calendarEvents} e where e.meeting_id = ${meetingId})], null))`,
      firstTurns: sql<string[]>`coalesce((select json_agg(x.text)
        from read_segments_between(${meetingId}, 0, ${FIRST_TURNS}) x), '[]')`,
    })
    .from(meetings)
    .where(eq(meetings.id, meetingId));
  return meeting;
}

/** Number of turns read to count a meeting's first words. */
const FIRST_TURNS = 1_000;
