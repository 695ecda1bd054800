import { type EditedMeeting, MESSAGES, type UpdateMeeting, type UpdateTurn } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { and, eq } from "drizzle-orm";
import type { Caller } from "../access/index.js";
import { ApiError } from "../lib/errors.js";
import { type RenderedSummary, renderSummary } from "../meetings/index.js";
import type { Part } from "../versions/index.js";
import { correct } from "./correct.js";

const { meetings, participants, summaries, transcriptSegments } = schema;

/**
 * Changes a meeting's title, times or summary.
 * @throws ApiError 404, 403, 400 for an end before the start, 409 for a stale base and for a locked summary
 */
export async function editMeeting(
  db: Database,
  caller: Caller,
  { meetingId, baseVersion, title, startTime, endTime, summary }: UpdateMeeting,
): Promise<EditedMeeting> {
  const rendered = summary ? await renderSummary(summary) : summary;
  const facts = {
    ...(title === undefined ? {} : { title }),
    ...(startTime === undefined ? {} : { startTime, startPrecision: null }),
    ...(endTime === undefined ? {} : { endTime }),
  };
  const changesFacts = Object.keys(facts).length > 0;
  const parts: Part[] = [
    ...(changesFacts ? (["facts"] as const) : []),
    ...(rendered === undefined ? [] : (["summary"] as const)),
  ];
  return correct(db, caller, meetingId, { base: baseVersion, parts }, async (tx) => {
    if (rendered !== undefined) await writeSummary(tx, meetingId, rendered);
    if (changesFacts) await writeFacts(tx, meetingId, facts);
    if (title !== undefined) return { index: "meeting" };
    return rendered === undefined ? {} : { index: "notes" };
  });
}

type Facts = Partial<
  Pick<typeof meetings.$inferInsert, "title" | "startTime" | "startPrecision" | "endTime">
>;

async function writeFacts(tx: Database, meetingId: string, facts: Facts): Promise<void> {
  const [written] = await tx
    .update(meetings)
    .set(facts)
    .where(eq(meetings.id, meetingId))
    .returning({ startTime: meetings.startTime, endTime: meetings.endTime });
  if (written?.endTime && written.endTime < written.startTime)
    throw new ApiError("BAD_REQUEST", MESSAGES.endBeforeStart);
}

/**
 * Stores or removes a summary. An unchanged one stays, with the instruction that it was written with.
 * @throws ApiError 409 if it is locked: the editor can't see what they would replace
 */
async function writeSummary(
  tx: Database,
  meetingId: string,
  rendered: RenderedSummary | null,
): Promise<void> {
  const [stored] = await tx
    .select({ locked: summaries.locked, markdown: summaries.markdown, short: summaries.short })
    .from(summaries)
    .where(eq(summaries.meetingId, meetingId))
    .for("update");
  if (stored?.locked) throw new ApiError("CONFLICT", MESSAGES.summaryLocked);
  if (rendered && stored?.markdown === rendered.markdown && stored.short === rendered.short) return;
  if (rendered === null) await tx.delete(summaries).where(eq(summaries.meetingId, meetingId));
  else
    await tx
      .insert(summaries)
      .values({ meetingId, ...rendered })
      .onConflictDoUpdate({ target: summaries.meetingId, set: rendered });
}

/**
 * Changes what was said in one turn, or which speaker of the meeting said it.
 * @throws ApiError 404 for an unknown meeting, turn or speaker, 403, 409 for a stale base
 */
export const editTurn = (
  db: Database,
  caller: Caller,
  { meetingId, turn, baseVersion, spokenText, speakerLabel }: UpdateTurn,
): Promise<EditedMeeting> =>
  correct(db, caller, meetingId, { base: baseVersion, parts: [{ turn }] }, async (tx) => {
    if (speakerLabel !== undefined) await requireSpeaker(tx, meetingId, speakerLabel);
    const changed = await tx
      .update(transcriptSegments)
      .set({
        ...(spokenText === undefined ? {} : { text: spokenText }),
        ...(speakerLabel === undefined ? {} : { speakerId: speakerLabel }),
      })
      .where(and(eq(transcriptSegments.meetingId, meetingId), eq(transcriptSegments.position, turn)))
      .returning({ position: transcriptSegments.position });
    if (changed.length === 0) throw new ApiError("NOT_FOUND", MESSAGES.turnNotFound);
    return { index: "meeting" };
  });

async function requireSpeaker(tx: Database, meetingId: string, label: string): Promise<void> {
  const isSpeaker = and(eq(participants.meetingId, meetingId), eq(participants.id, label));
  if ((await tx.$count(participants, isSpeaker)) === 0)
    throw new ApiError("NOT_FOUND", MESSAGES.speakerNotFound);
}
