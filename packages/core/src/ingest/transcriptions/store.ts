import { type Database, schema } from "@minutes/db";
import { and, eq, gt, inArray, isNotNull, ne, type SQL, sql } from "drizzle-orm";
import { actorOf, type RecorderCaller, type UserCaller } from "../../access/callers.js";
import type { Keyring } from "../../lib/keyring.js";
import { type AudioFile, type AudioFiles, type AudioReader, removeOrphanedFiles } from "./audio-files.js";

const { transcriptions } = schema;

/** Who uploads recordings: a user for themselves, or a recorder for a member. */
export type Uploader = UserCaller | RecorderCaller;

/** Where uploaded audio waits, and what is needed to receive and transcribe it. */
export interface AudioStore {
  readonly db: Database;
  readonly files: AudioFiles;
  /** Encrypts the files' keys. */
  readonly keyring: Keyring;
  /** Detects audio by its content, also by its first bytes; null for anything else. */
  readonly detect: (
    audio: Pick<AudioReader, "size" | "read">,
  ) => Promise<{ readonly complete: boolean } | null>;
  /** Maximum size of a recording in bytes. */
  readonly maxBytes: number;
}

/** States in which the audio is stored. */
export const WAITING = ["uploading", "queued", "transcribing", "storing"] as const;

/** Selects what is neither expired nor deleted. */
export const isVisible = and(gt(transcriptions.expiresAt, sql`now()`), ne(transcriptions.state, "canceled"));

/** Selects the caller's uploads. Recorders of a workspace share theirs. */
export const uploadedBy = (caller: Uploader): SQL | undefined =>
  and(
    eq(transcriptions.workspaceId, caller.workspaceId),
    caller.kind === "user" ? eq(transcriptions.userId, caller.userId) : undefined,
    sql`${transcriptions.uploader}::json ->> 'kind' = ${caller.kind}`,
    isVisible,
  );

/** Selects what the recorder uploaded with this key; those of the workspace's other recorders are not shown to it. */
export const sentBy = (caller: RecorderCaller): SQL | undefined =>
  and(uploadedBy(caller), sql`${transcriptions.uploader}::json -> 'via' ->> 'keyId' = ${actorOf(caller)}`);

/** The columns from which an `AudioFile` is read. */
export const FILE_COLUMNS = {
  id: transcriptions.id,
  received: transcriptions.received,
  stored: transcriptions.stored,
  fileKey: transcriptions.fileKey,
  secretKeyId: transcriptions.secretKeyId,
};

interface FileRow extends Pick<AudioFile, "id" | "received" | "stored"> {
  readonly fileKey: Uint8Array | null;
  readonly secretKeyId: string;
}

/** Decrypts the key of a file. @throws Error if its key is no longer in the ring */
export function openFile(
  { keyring }: AudioStore,
  { id, received, stored, fileKey, secretKeyId }: FileRow,
): AudioFile {
  const key = keyring.decrypt({ secretKeyId, secret: fileKey ?? new Uint8Array() }, id);
  return { id, received, stored, key: Buffer.from(key, "base64") };
}

/** Ends the leases of a killed process, whose database no other process has open. */
export const releaseLeases = ({ db }: Pick<AudioStore, "db">) =>
  db.update(transcriptions).set({ dueAt: sql`now()` }).where(isNotNull(transcriptions.dueAt));

/**
 * Deletes files whose audio nobody waits for: at once if the upload expired or a process was killed while deleting it,
 * after a day if it has no row. @returns the number of deleted files
 */
export const removeOrphans = ({ db, files }: Pick<AudioStore, "db" | "files">, grace?: number) =>
  removeOrphanedFiles(
    files,
    async (ids) => {
      const { id, state } = transcriptions;
      const isAlive = sql<boolean>`${transcriptions.expiresAt} > now()`;
      const rows = await db
        .select({ id, state, isAlive })
        .from(transcriptions)
        .where(inArray(id, [...ids]));
      return new Map(
        rows.map((row) => [row.id, row.isAlive && (WAITING as readonly string[]).includes(row.state)]),
      );
    },
    grace,
  );
