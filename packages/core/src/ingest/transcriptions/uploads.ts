import { extendLeases, isClaimable, secondsFromNow } from "@minutes/background";
import { LIMITS, MESSAGES } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { and, eq, gt, inArray, isNull, or, sql } from "drizzle-orm";
import { ApiError } from "../../lib/errors.js";
import { generateId } from "../../lib/ids.js";
import { lockMembership, lockWorkspace } from "../../workspaces/index.js";
import { lockOwner } from "../find-recording.js";
import { type AudioFile, generateFileKey, RECORD_BYTES } from "./audio-files.js";
import {
  type AudioStore,
  FILE_COLUMNS,
  isVisible,
  openFile,
  type Uploader,
  uploadedBy,
  WAITING,
} from "./store.js";

const { transcriptions } = schema;

/** An audio file that a caller is about to send. */
export interface NewUpload {
  /** The file's name, without folders. */
  readonly name: string;
  readonly size: number;
  /** ISO 8601, UTC. */
  readonly modifiedAt: string;
  /** E-mail address of the future meeting's owner; only from recorders. */
  readonly ownerEmail?: string | undefined;
  /** Maximum number of days for which its audio is kept, 0 for none; by default those of the workspace. */
  readonly keepDays?: number | undefined;
}

/** How far an upload is. */
export interface UploadState {
  readonly id: string;
  readonly size: number;
  readonly received: number;
  /** When an unfinished upload is deleted; null once it is complete. */
  readonly expiresAt: string | null;
}

/** Seconds without audio after which another request can continue an upload: its client was cut off, or its process killed. */
const LEASE = 15;

const leases = {
  table: transcriptions,
  key: transcriptions.id,
  until: transcriptions.dueAt,
  token: transcriptions.token,
};

/**
 * Creates an upload, which must begin within ten minutes and be complete within a day.
 * @throws ApiError 400, 404 for an unknown owner, 413 for a file over the limit, or if too much audio of the owner or workspace waits
 */
export async function createUpload(
  { db, keyring, maxBytes }: AudioStore,
  caller: Uploader,
  { name, size, modifiedAt, ownerEmail, keepDays }: NewUpload,
): Promise<UploadState> {
  if (caller.kind === "recorder" && ownerEmail === undefined)
    throw new ApiError("BAD_REQUEST", MESSAGES.uploadOwnerMissing);
  if (size === 0) throw new ApiError("BAD_REQUEST", MESSAGES.emptyAudio);
  if (size > maxBytes)
    throw new ApiError(
      "PAYLOAD_TOO_LARGE",
      maxBytes === LIMITS.audioBytes ? MESSAGES.audioTooLarge : MESSAGES.longAudioTooLarge,
    );
  if (caller.kind === "user" && ownerEmail !== undefined)
    throw new ApiError("BAD_REQUEST", MESSAGES.uploadOwnerGiven);
  const { workspaceId } = caller;
  const id = generateId("trn");
  const { secret, secretKeyId } = keyring.encrypt(Buffer.from(generateFileKey()).toString("base64"), id);
  return db.transaction(async (tx) => {
    const owner =
      caller.kind === "user"
        ? await lockMembership(tx, caller.userId, "key share")
        : await lockOwner(tx, workspaceId, ownerEmail ?? "");
    if (owner.workspaceId !== workspaceId) throw new ApiError("NOT_FOUND", MESSAGES.memberNotFound);
    // A change of the setting comes before, or sees this upload.
    await lockWorkspace(tx, workspaceId, "share");
    await requireRoom(tx, owner, size);
    const { kind, via } = caller;
    const [created] = await tx
      .insert(transcriptions)
      .values({
        ...{ id, userId: owner.userId, workspaceId, name, size, modifiedAt },
        ...{ uploader: JSON.stringify({ kind, via }), fileKey: secret, secretKeyId },
        keepDays: sql`(select nullif(least(audio_days, ${keepDays ?? null}::int), 0) from workspaces
          where id = ${workspaceId} and audio_days is not null)`,
        expiresAt: secondsFromNow(LIMITS.audioBeginSeconds),
      })
      .returning({ expiresAt: transcriptions.expiresAt });
    return { id, size, received: 0, expiresAt: created?.expiresAt ?? null };
  });
}

/** Bytes on disk that a recording takes. A large one will be converted, which is counted before. */
const taken = sql`(${transcriptions.size}::bigint + greatest(${transcriptions.converted},
  case when ${transcriptions.size} > ${sql.raw(String(LIMITS.audioBytes))}
    then ${sql.raw(String(LIMITS.convertedBytes))} else 0 end))`;

/** Requires that the waiting audio of an owner and their workspace stays within limits. Uploads of a workspace are created one at a time. */
async function requireRoom(
  tx: Database,
  { userId, workspaceId }: { readonly userId: string; readonly workspaceId: string },
  size: number,
): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended('audio ' || ${workspaceId}, 0))`);
  const { expiresAt, state } = transcriptions;
  const isOwners = eq(transcriptions.userId, userId);
  const [waiting] = await tx
    .select({
      bytes: sql<number>`coalesce(sum(${taken}), 0)::float8`,
      files: sql<number>`count(*)::int`,
      ownBytes: sql<number>`coalesce(sum(${taken}) filter (where ${isOwners}), 0)::float8`,
      ownFiles: sql<number>`(count(*) filter (where ${isOwners}))::int`,
    })
    .from(transcriptions)
    .where(
      and(eq(transcriptions.workspaceId, workspaceId), inArray(state, WAITING), gt(expiresAt, sql`now()`)),
    );
  const { bytes = 0, files = 0, ownBytes = 0, ownFiles = 0 } = waiting ?? {};
  if (bytes + size > LIMITS.audioWaitingBytes || files >= LIMITS.audioWaitingFiles)
    throw new ApiError("PAYLOAD_TOO_LARGE", MESSAGES.tooMuchAudio);
  if (ownBytes + size > LIMITS.audioOwnerBytes || ownFiles >= LIMITS.audioOwnerFiles)
    throw new ApiError("PAYLOAD_TOO_LARGE", MESSAGES.tooMuchOwnAudio);
}

/** How far an upload is, and of which file. */
export interface FoundUpload extends UploadState {
  /** Null once its meeting has a title. */
  readonly name: string | null;
  readonly modifiedAt: string;
}

/** Gets an upload of the caller. @throws ApiError 404, also for another's and an expired one */
export async function getUpload(
  { db }: Pick<AudioStore, "db">,
  caller: Uploader,
  id: string,
): Promise<FoundUpload> {
  const { received, size, state, expiresAt, name, modifiedAt } = transcriptions;
  const [upload] = await db
    .select({ id: transcriptions.id, size, received, state, expiresAt, name, modifiedAt })
    .from(transcriptions)
    .where(and(eq(transcriptions.id, id), uploadedBy(caller)));
  if (!upload) throw new ApiError("NOT_FOUND", MESSAGES.uploadNotFound);
  const { state: now, ...rest } = upload;
  return { ...rest, expiresAt: now === "uploading" ? rest.expiresAt : null };
}

/** Audio as it arrives. */
export interface SentAudio {
  /** Where it begins. */
  readonly offset: number;
  /** Its length in bytes; undefined if the client does not say. */
  readonly length: number | undefined;
  readonly body: AsyncIterable<Uint8Array>;
}

/**
 * Receives audio for an upload. What is durable stays, whatever happens: the client continues there. The last byte queues the
 * recording.
 * @returns the number of bytes received of the whole upload
 * @throws ApiError 404; 409 for another offset, or while another request sends audio; 413 for more than was announced; 415, 422
 * for content that is not a whole recording, which is deleted
 */
export async function receiveAudio(
  store: AudioStore,
  caller: Uploader,
  id: string,
  { offset, length, body }: SentAudio,
): Promise<number> {
  const { db } = store;
  const claimed = await claimUpload(db, caller, id, offset);
  const { token, size } = claimed;
  try {
    if (offset + (length ?? 0) > size) throw new ApiError("PAYLOAD_TOO_LARGE", MESSAGES.tooMuchSent);
    const writer = new Writer(store, openFile(store, claimed), claimed);
    try {
      for await (const chunk of body) await writer.write(chunk);
    } catch (error) {
      // The client is gone, but what it sent counts.
      if (!(error instanceof ApiError)) await writer.flush();
      throw error;
    }
    return await writer.flush();
  } finally {
    await db
      .update(transcriptions)
      .set({ dueAt: null })
      .where(and(isOwn(id, token), eq(transcriptions.state, "uploading")));
  }
}

const isOwn = (id: string, token: number) => and(eq(transcriptions.id, id), eq(transcriptions.token, token));

async function claimUpload(db: Database, caller: Uploader, id: string, offset: number) {
  const { dueAt, received, size, state, token } = transcriptions;
  const [claimed] = await db
    .update(transcriptions)
    .set({ token: sql`${token} + 1`, dueAt: secondsFromNow(LEASE) })
    .where(
      and(
        eq(transcriptions.id, id),
        uploadedBy(caller),
        eq(state, "uploading"),
        eq(received, offset),
        or(isNull(dueAt), isClaimable(dueAt, LEASE)),
      ),
    )
    .returning({ ...FILE_COLUMNS, size, token });
  if (claimed) return claimed;
  const upload = await getUpload({ db }, caller, id);
  throw new ApiError("CONFLICT", upload.received === offset ? MESSAGES.uploadBusy : MESSAGES.otherOffset);
}

/** Collects audio, and makes it durable record by record. */
class Writer {
  readonly #chunks: Uint8Array[] = [];
  #collected = 0;

  constructor(
    private readonly store: AudioStore,
    private file: AudioFile,
    private readonly upload: { readonly size: number; readonly token: number },
  ) {}

  /** @throws ApiError 413 for more than was announced, and as `flush` */
  async write(chunk: Uint8Array): Promise<void> {
    if (this.file.received + this.#collected + chunk.length > this.upload.size)
      throw new ApiError("PAYLOAD_TOO_LARGE", MESSAGES.tooMuchSent);
    this.#chunks.push(chunk);
    this.#collected += chunk.length;
    if (this.#collected >= RECORD_BYTES) await this.flush();
  }

  /**
   * Makes everything collected durable. The last byte queues the recording.
   * @throws ApiError 404 if the upload was deleted or expired, 409 if another request continued it, 415, 422
   */
  async flush(): Promise<number> {
    const { store, file, upload } = this;
    if (this.#collected === 0) return file.received;
    const audio = Buffer.concat(this.#chunks.splice(0));
    this.#collected = 0;
    const isComplete = file.received + audio.length === upload.size;
    if (
      file.received === 0 &&
      (isComplete || audio.length >= RECORD_BYTES) &&
      !(await this.#detectStart(audio))
    )
      await this.#refuse(new ApiError("UNSUPPORTED_MEDIA_TYPE", MESSAGES.notAudio));
    await this.#renew();
    this.file = { ...file, ...(await store.files.append(file, audio)) };
    if (isComplete) await this.#requireWhole();
    await this.#commit(isComplete);
    return this.file.received;
  }

  #detectStart(audio: Buffer) {
    return this.store.detect({
      size: audio.length,
      read: async (at, length) => audio.subarray(at, at + length),
    });
  }

  async #requireWhole(): Promise<void> {
    const reader = await this.store.files.open(this.file);
    const found = await this.store.detect(reader).finally(() => reader.close());
    if (!found) await this.#refuse(new ApiError("UNSUPPORTED_MEDIA_TYPE", MESSAGES.notAudio));
    else if (!found.complete) await this.#refuse(new ApiError("UNPROCESSABLE_CONTENT", MESSAGES.audioCutOff));
  }

  /** Deletes the upload. */
  async #refuse(error: ApiError): Promise<never> {
    const { db, files } = this.store;
    await db.delete(transcriptions).where(isOwn(this.file.id, this.upload.token));
    await files.remove(this.file.id);
    throw error;
  }

  /** Renews the lease, so that no other request writes to the same place. @throws ApiError 404, 409 if it was lost */
  async #renew(): Promise<void> {
    const lease = { key: this.file.id, token: this.upload.token };
    if ((await extendLeases(this.store.db, leases, [lease], LEASE)) === 0) await this.#explainLoss();
  }

  async #commit(isComplete: boolean): Promise<void> {
    const { id, received, stored } = this.file;
    const queued = {
      state: "queued",
      dueAt: sql`now()`,
      expiresAt: secondsFromNow(LIMITS.audioJobSeconds),
    } as const;
    const begun = {
      expiresAt: sql`${transcriptions.createdAt} + make_interval(secs => ${LIMITS.audioUploadSeconds}::float8)`,
    };
    const kept = await this.store.db
      .update(transcriptions)
      .set({ received, stored, updatedAt: sql`now()`, ...(isComplete ? queued : begun) })
      .where(and(isOwn(id, this.upload.token), eq(transcriptions.state, "uploading"), isVisible))
      .returning({ id: transcriptions.id });
    if (kept.length === 0) await this.#explainLoss();
  }

  /** @throws ApiError 404 if the upload was deleted or expired, otherwise 409: another request continued it */
  async #explainLoss(): Promise<never> {
    const { db, files } = this.store;
    const { id } = this.file;
    const [other] = await db
      .select({ id: transcriptions.id })
      .from(transcriptions)
      .where(and(eq(transcriptions.id, id), isVisible));
    if (other) throw new ApiError("CONFLICT", MESSAGES.uploadBusy);
    await files.remove(id);
    throw new ApiError("NOT_FOUND", MESSAGES.uploadNotFound);
  }
}
