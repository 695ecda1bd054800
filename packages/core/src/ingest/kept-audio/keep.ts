import { LIMITS } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { and, eq, isNotNull, sql } from "drizzle-orm";
import { ApiError } from "../../lib/errors.js";
import { generateId } from "../../lib/ids.js";
import { lockMembership } from "../../workspaces/index.js";
import { generateFileKey, RECORD_BYTES } from "../transcriptions/audio-files.js";
import { type KeptAudioStore, lockAudio, openKept } from "./store.js";

const { keptAudio, transcriptions, workspaces } = schema;

/** Audio of a meeting. */
export interface MeetingAudio {
  readonly meetingId: string;
  readonly ownerId: string;
  /** The workspace in which it was uploaded. */
  readonly workspaceId: string;
  /** The upload, which says for how long it is kept. */
  readonly transcriptionId: string;
}

/** Audio to keep. */
export interface AudioToKeep {
  /** Such as `mp3`. */
  readonly format: string;
  /** Null: unknown. */
  readonly seconds: number | null;
  readonly reader: { readonly size: number; stream(): AsyncIterable<Uint8Array> };
}

/**
 * `off`: not opted in, or not when the upload was created. `full`: over quota. `disk`: the disk would be nearly full. `gone`: the
 * meeting or its owner left, or someone was erased.
 */
export type KeepResult = "kept" | "off" | "full" | "disk" | "gone";

/** Returns the days for which the audio of an upload is kept: what was promised then, or fewer. Null: none is kept. */
export async function readKeepDays(
  db: Database,
  { transcriptionId, workspaceId }: Pick<MeetingAudio, "transcriptionId" | "workspaceId">,
): Promise<number | null> {
  const [upload] = await db
    .select({
      days: sql<number | null>`case when ${workspaces.audioDays} is not null
        then least(${transcriptions.keepDays}, ${workspaces.audioDays}) end`,
    })
    .from(transcriptions)
    .innerJoin(workspaces, eq(workspaces.id, workspaceId))
    .where(and(eq(transcriptions.id, transcriptionId), isNotNull(transcriptions.keepDays)));
  return upload?.days ?? null;
}

/**
 * Keeps the audio of a meeting, or of one whose summary is still being written, if its workspace wants that. Idempotent: what a killed
 * process began is written again. The audio is encrypted with a key of its own, in records of equal length.
 */
export async function keepAudio(
  store: KeptAudioStore,
  meeting: MeetingAudio,
  { format, seconds, reader }: AudioToKeep,
  signal: AbortSignal,
): Promise<KeepResult> {
  const { db, files } = store;
  const key = { id: generateId("aud"), secret: generateFileKey() };
  const sealed = store.keyring.encrypt(Buffer.from(key.secret).toString("base64"), key.id);
  const reserved = await db
    .transaction((tx) =>
      reserve(tx, meeting, {
        ...{ id: key.id, format, seconds, size: reader.size },
        ...{ fileKey: sealed.secret, secretKeyId: sealed.secretKeyId },
      }),
    )
    .catch((error: unknown) => {
      if (error instanceof ApiError) return "gone" as const;
      throw error;
    });
  if (typeof reserved === "string") return reserved;
  try {
    await files.prepare();
    if (!(await files.hasRoom(reader.size))) {
      await db.delete(keptAudio).where(eq(keptAudio.id, key.id));
      return "disk";
    }
    await write(store, reserved.row, reader, signal);
    const finished = await db
      .update(keptAudio)
      .set({ ready: true })
      .where(eq(keptAudio.id, key.id))
      .returning({ id: keptAudio.id });
    if (finished.length > 0) return "kept";
  } catch (error) {
    await db.delete(keptAudio).where(eq(keptAudio.id, key.id));
    await files.remove(key.id);
    throw error;
  }
  await files.remove(key.id);
  return "gone";
}

type NewAudio = Omit<typeof keptAudio.$inferInsert, "meetingId" | "userId" | "workspaceId" | "expiresAt">;

/**
 * Inserts the row, before there is a file. Locks the meeting, so that an erasure from it comes before or after.
 * @throws ApiError 404 for an unknown owner
 */
async function reserve(tx: Database, meeting: MeetingAudio, audio: NewAudio) {
  const { meetingId, ownerId, workspaceId } = meeting;
  const owner = await lockMembership(tx, ownerId, "key share");
  if (owner.workspaceId !== workspaceId) return "gone";
  await lockAudio(tx, workspaceId);
  await tx.execute(sql`select from ${schema.recordingDrafts} where recording_id = ${meetingId} for share`);
  await tx.execute(sql`select from ${schema.meetings} where id = ${meetingId} for share`);
  const days = await readKeepDays(tx, meeting);
  if (days === null) return "off";
  if (!(await mayKeep(tx, meetingId, ownerId))) return "gone";
  await tx.delete(keptAudio).where(and(eq(keptAudio.meetingId, meetingId), eq(keptAudio.ready, false)));
  if ((await tx.$count(keptAudio, eq(keptAudio.meetingId, meetingId))) > 0) return "kept";
  const [workspace] = await tx.select(COUNTED).from(workspaces).where(eq(workspaces.id, workspaceId));
  if ((workspace?.bytes ?? 0) + audio.size > LIMITS.keptAudioBytes) return "full";
  const [row] = await tx
    .insert(keptAudio)
    .values({
      ...{ ...audio, meetingId, userId: ownerId, workspaceId },
      expiresAt: sql`now() + make_interval(days => ${days}::int)`,
    })
    .returning();
  return row ? { row } : "gone";
}

/** Bytes of kept audio of a workspace. */
export const COUNTED = {
  bytes: sql<number>`(select coalesce(sum(k.size), 0)::float8 from ${keptAudio} k where k.workspace_id = ${sql.raw("workspaces.id")})`,
};

/** Returns false if the meeting is deleted, has another owner, or had someone erased from it, whose voice would come back. */
async function mayKeep(tx: Database, meetingId: string, ownerId: string): Promise<boolean> {
  const { erasedRecordings, meetings, recordingDrafts, recordings } = schema;
  const found = await tx
    .select({ id: sql`r.id` })
    .from(sql`${recordings} r`)
    .where(sql`r.id = ${meetingId} and r.state in ('processing', 'completed')
      and (exists (select from ${meetings} m where m.id = r.id and m.user_id = ${ownerId})
        or exists (select from ${recordingDrafts} d where d.recording_id = r.id and d.user_id = ${ownerId}))
      and not exists (select from ${erasedRecordings} e
        where e.workspace_id = r.workspace_id and e.hash = sha256(convert_to(r.external_id, 'UTF8')))`);
  return found.length > 0;
}

/** Write size in bytes: a multiple of `RECORD_BYTES`, so that all records but the last are equally long. */
const WRITE_BYTES = 4 * RECORD_BYTES;

async function write(
  store: KeptAudioStore,
  row: typeof keptAudio.$inferSelect,
  reader: AudioToKeep["reader"],
  signal: AbortSignal,
): Promise<void> {
  let file = { ...openKept(store, row), received: 0, stored: 0 };
  let collected: Uint8Array[] = [];
  const flush = async () => {
    const length = await store.files.append(file, Buffer.concat(collected));
    file = { ...file, ...length };
    collected = [];
  };
  // `stream` yields whole records, apart from the last one.
  for await (const chunk of reader.stream()) {
    signal.throwIfAborted();
    collected.push(chunk);
    if (collected.length * RECORD_BYTES >= WRITE_BYTES) await flush();
  }
  if (collected.length > 0) await flush();
}
