import { join } from "node:path";
import { runInBatches } from "@minutes/background";
import { type Database, schema } from "@minutes/db";
import { inArray, sql } from "drizzle-orm";
import type { Keyring } from "../../lib/keyring.js";
import { isHeld } from "../../meetings/index.js";
import {
  type AudioFile,
  AudioFiles,
  removeOrphanedFiles,
  toStoredLength,
} from "../transcriptions/audio-files.js";

const { keptAudio } = schema;

/** Storage of kept audio: rows, encrypted files, and the keyring for the files' keys. */
export interface KeptAudioStore {
  readonly db: Database;
  readonly files: AudioFiles;
  /** Encrypts the files' keys. */
  readonly keyring: Keyring;
}

/** Opens the files of kept audio in the directory of recordings. They lie apart, so that listing those that wait stays cheap. */
export const createKeptFiles = (directory: string): AudioFiles =>
  new AudioFiles(join(directory, "kept"), "aud");

/** The condition that the meeting of a row is on hold. */
export const isOnHold = isHeld(keptAudio.meetingId);

/** Serializes changes to a workspace's audio setting and quota. */
export const lockAudio = (tx: Database, workspaceId: string) =>
  tx.execute(sql`select pg_advisory_xact_lock(hashtextextended('kept audio ' || ${workspaceId}, 0))`);

/** Decrypts the key of a file. @throws Error if its key is no longer in the ring */
export function openKept(
  { keyring }: Pick<KeptAudioStore, "keyring">,
  {
    id,
    size,
    fileKey,
    secretKeyId,
  }: Pick<typeof keptAudio.$inferSelect, "id" | "size" | "fileKey" | "secretKeyId">,
): AudioFile {
  const key = Buffer.from(keyring.decrypt({ secretKeyId, secret: fileKey }, id), "base64");
  return { id, key, received: size, stored: toStoredLength(size), even: true };
}

/** Deletes expired audio unless its meeting is on hold, audio of failed or deleted recordings, and writes unfinished after a day. */
export async function expireAudio(db: Database): Promise<void> {
  const { recordings } = schema;
  const isOver = sql`(not ${isOnHold} and ${keptAudio.expiresAt} <= now())`;
  const isLeft = sql`(not ${keptAudio.ready} and ${keptAudio.createdAt} < now() - interval '1 day')`;
  const hasFailed = sql`exists (select from ${recordings} r where r.id = ${keptAudio.meetingId} and r.state in ('failed', 'deleted'))`;
  for (const ends of [isOver, isLeft, hasFailed]) {
    const some = (limit: number) => db.select({ id: keptAudio.id }).from(keptAudio).where(ends).limit(limit);
    await runInBatches((limit) =>
      db
        .delete(keptAudio)
        .where(inArray(keptAudio.id, some(limit)))
        .returning({ id: keptAudio.id }),
    );
  }
}

/** Counts kept audio: files that belong to no meeting, and meetings whose file is missing in this process's directory. */
export async function compareAudio({
  db,
  files,
}: Pick<KeptAudioStore, "db"> & { readonly files: Pick<AudioFiles, "list"> }) {
  const found = new Set(await files.list());
  const rows = await db.select({ id: keptAudio.id, ready: keptAudio.ready }).from(keptAudio);
  const known = new Set(rows.map(({ id }) => id));
  return {
    kept: rows.length,
    orphans: [...found].filter((id) => !known.has(id)).length,
    missing: rows.filter(({ id, ready }) => ready && !found.has(id)).length,
  };
}

/** Deletes files without a row, which can't be decrypted, after a day. @returns the number of deleted files */
export const removeUnreadable = (
  { db, files }: Pick<KeptAudioStore, "db" | "files">,
  grace?: number,
): Promise<number> =>
  removeOrphanedFiles(
    files,
    async (ids) => {
      const rows = await db
        .select({ id: keptAudio.id })
        .from(keptAudio)
        .where(inArray(keptAudio.id, [...ids]));
      return new Map(rows.map(({ id }) => [id, true]));
    },
    grace,
  );
