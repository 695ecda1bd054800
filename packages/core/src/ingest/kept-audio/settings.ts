import { type KeptAudioSetting, LIMITS } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { and, eq, isNotNull, sql } from "drizzle-orm";
import { audit } from "../../access/audit.js";
import type { Caller } from "../../access/index.js";
import { lockWorkspace, requireAdmin } from "../../workspaces/index.js";
import { COUNTED } from "./keep.js";
import { isOnHold, lockAudio } from "./store.js";

const { keptAudio, transcriptions, workspaces } = schema;

/** Gets how long the caller's workspace keeps audio, and the room that it takes. */
export async function getKeptAudio(db: Database, { workspaceId }: Caller): Promise<KeptAudioSetting> {
  const [workspace] = await db
    .select({ days: workspaces.audioDays, ...COUNTED })
    .from(workspaces)
    .where(eq(workspaces.id, workspaceId));
  return { days: workspace?.days ?? null, bytes: workspace?.bytes ?? 0, maxBytes: LIMITS.keptAudioBytes };
}

/**
 * Sets how long audio is kept. Fewer days also shorten what is kept already, and what was promised to uploads that wait; more days
 * don't extend it. Null deletes it; that of meetings on hold ends when they are released.
 * @throws ApiError 403 unless the caller is an admin
 */
export async function setKeptAudio(db: Database, caller: Caller, days: number | null): Promise<void> {
  const { workspaceId } = caller;
  await db.transaction(async (tx) => {
    await lockWorkspace(tx, workspaceId);
    await requireAdmin(tx, caller, workspaceId);
    await lockAudio(tx, workspaceId);
    const changed = await tx
      .update(workspaces)
      .set({ audioDays: days, updatedAt: sql`now()` })
      .where(and(eq(workspaces.id, workspaceId), sql`${workspaces.audioDays} is distinct from ${days}::int`))
      .returning({ id: workspaces.id });
    await tx
      .update(transcriptions)
      .set({ keepDays: days === null ? null : sql`least(${transcriptions.keepDays}, ${days}::int)` })
      .where(and(eq(transcriptions.workspaceId, workspaceId), isNotNull(transcriptions.keepDays)));
    const own = eq(keptAudio.workspaceId, workspaceId);
    if (days === null) {
      await tx.delete(keptAudio).where(and(own, sql`not ${isOnHold}`));
      await tx.update(keptAudio).set({ expiresAt: sql`now()` }).where(own);
    } else {
      const ends = sql`${keptAudio.createdAt} + make_interval(days => ${days}::int)`;
      await tx
        .update(keptAudio)
        .set({ expiresAt: ends })
        .where(and(own, sql`${keptAudio.expiresAt} > ${ends}`));
    }
    if (changed.length > 0)
      await audit(
        tx,
        caller,
        days === null ? "workspace.audio.discard" : "workspace.audio.keep",
        workspaceId,
      );
  });
}
