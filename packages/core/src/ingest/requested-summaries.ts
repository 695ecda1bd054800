import { claimLeases, extendLeases, isClaimable, secondsFromNow, startHeartbeat } from "@minutes/background";
import type { SummaryOrigin } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { eq, sql } from "drizzle-orm";
import { type RenderedSummary, renderSummary } from "../meetings/index.js";
import { changeMeeting } from "../versions/index.js";
import { locksLaterSummary } from "./complete-meeting.js";
import type { Summariser } from "./summariser.js";

const { meetings, participants, summaries, summaryRequests } = schema;

export interface RequestWorkerOptions {
  readonly db: Database;
  readonly summariser: Summariser | null;
  /** Delays before retries in seconds; after the last one, the request has failed. */
  readonly backoff: readonly number[];
  /** Seconds without a renewal after which another worker takes over a request. */
  readonly lease: number;
  readonly report: (error: unknown, otherwise: string) => void;
}

interface Request {
  readonly id: string;
  readonly meetingId: string;
  readonly workspaceId: string;
  readonly actor: string;
  readonly origin: string | null;
  readonly attempts: number;
}

const leases = { table: summaryRequests, key: summaryRequests.id, until: summaryRequests.dueAt };

/** Writes one summary that somebody asked for. @returns false if there is none to write */
export async function writeRequestedSummary(
  options: RequestWorkerOptions,
  signal: AbortSignal,
): Promise<boolean> {
  const { db, lease, backoff, report } = options;
  const { id, meetingId, workspaceId, actor, origin, attempts, dueAt, failed } = summaryRequests;
  const [request] = await claimLeases<Request>(db, leases, {
    where: sql`not ${failed} and ${isClaimable(dueAt, Math.max(lease, ...backoff))}`,
    orderBy: sql`${dueAt}`,
    limit: 1,
    lease,
    returning: { id, meetingId, workspaceId, actor, origin, attempts },
  });
  if (!request) return false;
  const stopHeartbeat = startHeartbeat(
    () => extendLeases(db, leases, [{ key: request.id }], lease),
    lease,
    (error) => report(error, "lease not renewed"),
  );
  const next = await attempt(options, request, signal).finally(stopHeartbeat);
  if (next)
    await db
      .update(summaryRequests)
      .set({ ...next, dueAt: secondsFromNow(next.delay) })
      .where(eq(id, request.id));
  return true;
}

/** What becomes of a request that is not done. */
interface Next {
  readonly attempts: number;
  readonly failed: boolean;
  /** Delay before the next attempt, in seconds. */
  readonly delay: number;
}

/** Resolves to null once the request is done or void. */
async function attempt(
  { db, summariser, backoff, report }: RequestWorkerOptions,
  request: Request,
  signal: AbortSignal,
): Promise<Next | null> {
  const { attempts } = request;
  try {
    if (!summariser) return { attempts, failed: true, delay: 0 };
    const words = await readWords(db, request.meetingId);
    if (words?.workspaceId !== request.workspaceId) {
      await db.delete(summaryRequests).where(eq(summaryRequests.id, request.id));
      return null;
    }
    const origin = request.origin === null ? null : (JSON.parse(request.origin) as SummaryOrigin);
    const { summary } = await summariser({ ...words, origin }, signal);
    if (!summary) throw new Error("The model wrote no summary.");
    const rendered = await renderSummary({ ...summary, origin });
    const isCurrent = await replaceSummary(db, request, words, rendered);
    return isCurrent ? null : { attempts, failed: false, delay: 0 };
  } catch (error) {
    if (signal.aborted) return { attempts, failed: false, delay: 0 };
    report(error, "summary refused");
    const delay = backoff[attempts];
    return { attempts: attempts + 1, failed: delay === undefined, delay: delay ?? 0 };
  }
}

/** What a stored meeting's summary is written from. */
type Words = NonNullable<Awaited<ReturnType<typeof readWords>>>;

/** Reads what was said in a meeting; null if it is gone. */
async function readWords(db: Database, meetingId: string) {
  const { title, startTime, endTime, workspaceId } = meetings;
  const [meeting] = await db
    .select({ title, startTime, endTime, workspaceId })
    .from(meetings)
    .where(eq(meetings.id, meetingId));
  if (!meeting) return null;
  const speakers = await db
    .select({ id: participants.id, name: participants.name })
    .from(participants)
    .where(eq(participants.meetingId, meetingId));
  const names = new Map(speakers.map(({ id, name }) => [id, name]));
  const turns = await db
    .select({
      speakerId: sql<string>`x.speaker_id`,
      text: sql<string>`x.text`,
      start: sql<number | null>`x.start_seconds`,
      end: sql<number | null>`x.end_seconds`,
    })
    .from(sql`read_segments(${meetingId}) x`)
    .orderBy(sql`x.position`);
  const transcript = turns.map(({ speakerId, text, start, end }) => ({
    speakerName: names.get(speakerId) ?? speakerId,
    text,
    start: start ?? undefined,
    end: end ?? undefined,
  }));
  return { ...meeting, endTime: meeting.endTime ?? undefined, transcript };
}

/**
 * Replaces a meeting's summary, unless it was locked, or another request has come since.
 * @returns false if the meeting's words have changed, as by an erasure: what was written from them is dropped
 */
async function replaceSummary(
  db: Database,
  { id, meetingId, actor, workspaceId }: Request,
  words: Words,
  summary: RenderedSummary,
): Promise<boolean> {
  let isCurrent = true;
  await db.transaction(async (tx) => {
    await changeMeeting(tx, meetingId, {
      edit: { actor, action: "edit", base: null, parts: ["summary"] },
      work: async () => {
        isCurrent = JSON.stringify(await readWords(tx, meetingId)) === JSON.stringify(words);
        if (!isCurrent) return null;
        const done = await tx
          .delete(summaryRequests)
          .where(eq(summaryRequests.id, id))
          .returning({ id: summaryRequests.id });
        const [stored] = await tx
          .select({ locked: summaries.locked })
          .from(summaries)
          .where(eq(summaries.meetingId, meetingId))
          .for("update");
        if (done.length === 0 || stored?.locked) return null;
        const locked = stored ? false : await locksLaterSummary(tx, meetingId, { workspaceId }, words);
        await tx
          .insert(summaries)
          .values({ meetingId, ...summary, locked })
          .onConflictDoUpdate({ target: summaries.meetingId, set: summary });
        return { index: "notes" };
      },
    });
  });
  return isCurrent;
}
