import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";
import { LIMITS, MESSAGES, type MeetingRecording } from "@minutes/contract";
import { type Database, runNamedStatement, schema } from "@minutes/db";
import { type SQL, sql } from "drizzle-orm";
import {
  buildScopeCondition,
  type Caller,
  ownedByMembers,
  readableBy,
  type Scope,
  visibleTo,
} from "../../access/index.js";
import { ApiError } from "../../lib/errors.js";
import { isAudible } from "../../meetings/index.js";
import { type AudioFile, DamagedAudioError } from "../transcriptions/audio-files.js";
import { type KeptAudioStore, openKept } from "./store.js";

const { keptAudio, meetings } = schema;

/** Path of kept audio, before the token. */
export const AUDIO_PATH = "/audio/v1/recordings";

/** Media types by format. */
const TYPES: Readonly<Record<string, string>> = {
  ...{ mp3: "audio/mpeg", wav: "audio/wav", m4a: "audio/mp4" },
  ...{ ogg: "audio/ogg", flac: "audio/flac", webm: "audio/webm" },
};
const toType = (format: string): string => TYPES[format] ?? "application/octet-stream";

/** Audio that an address opens. */
export interface OpenedAudio {
  readonly file: AudioFile;
  /** Media type. */
  readonly type: string;
  /** ID of the user or workspace who got the address. */
  readonly holder: string;
  readonly workspaceId: string;
}

/** The row `k` of audio that can be heard. Its key is text, because drivers read bytes differently. */
const COLUMNS = sql`k.id, k.workspace_id as "workspaceId", k.format, k.size, k.seconds, encode(k.file_key, 'hex') as "fileKey", k.secret_key_id as "secretKeyId"`;

interface KeptRow {
  readonly id: string;
  readonly workspaceId: string;
  readonly format: string;
  readonly size: number;
  readonly seconds: number | null;
  readonly fileKey: string;
  readonly secretKeyId: string;
}

/** Decrypts the key of a row's file; null if it is not in the ring. */
function open(store: KeptAudioStore, row: KeptRow): AudioFile | null {
  try {
    return openKept(store, { ...row, fileKey: Buffer.from(row.fileKey, "hex") });
  } catch {
    return null;
  }
}

interface RecordingRow extends KeptRow {
  readonly allowed: boolean;
  readonly recordingUrl: string | null;
  /** In Unix ms. */
  readonly now: number;
}

const selectRecording = (scope: Scope): SQL => sql`
  select allowed, m.recording_url as "recordingUrl", (extract(epoch from now()) * 1000)::float8 as now, ${COLUMNS}
  from ${meetings} m
    cross join lateral (select ${buildScopeCondition(scope)} as allowed) access
    left join ${keptAudio} k on k.meeting_id = m.id and allowed and ${isAudible}
  where m.id = ${sql.placeholder("meetingId")}`;

/**
 * Creates a short-lived signed address for the audio of a meeting. Anyone who has it can play the audio, as long as the caller can read
 * the meeting. Without audio, returns the address that the recorder sent.
 * @param store null: this process has no audio
 * @throws ApiError 404 for an unknown meeting, or one without audio; 403 for one that the caller can't read
 */
export async function getRecording(
  db: Database,
  store: KeptAudioStore | null,
  caller: Caller,
  meetingId: string,
  seconds = LIMITS.audioAddressMinutes * 60,
): Promise<MeetingRecording> {
  const scope = readableBy(caller);
  const [row] = await runNamedStatement<RecordingRow>(
    db,
    `recording_${scope.name}`,
    () => selectRecording(scope),
    { ...scope.values, meetingId },
  );
  if (!row) throw new ApiError("NOT_FOUND", MESSAGES.meetingNotFound);
  if (!row.allowed) throw new ApiError("FORBIDDEN", MESSAGES.noMeetingAccess);
  const file = store && row.id !== null ? open(store, row) : null;
  if (!store || !file || !(await store.files.has(file.id))) {
    if (row.recordingUrl === null) throw new ApiError("NOT_FOUND", MESSAGES.noRecording);
    return { address: row.recordingUrl, expiresAt: null, type: null, bytes: null, seconds: null };
  }
  const holder = caller.kind === "user" ? caller.userId : caller.workspaceId;
  const expires = Math.floor(row.now / 1_000) + seconds;
  const text = `${file.id}.${caller.kind}.${holder}.${expires}`;
  return {
    address: `${AUDIO_PATH}/${text}.${sign(file, text).toString("base64url")}`,
    expiresAt: new Date(expires * 1_000).toISOString(),
    type: toType(row.format),
    bytes: row.size,
    seconds: row.seconds,
  };
}

/** Signs an address with a key that is derived from the file's: it ends with the audio. */
const sign = ({ key }: AudioFile, text: string): Buffer =>
  createHmac("sha256", Buffer.from(hkdfSync("sha256", key, "", "address of audio", 32)))
    .update(text)
    .digest();

/** A time in Unix seconds that no clock reaches. */
const NEVER = "99999999999";

const TOKEN = /^((aud_\w{1,40})\.(user|workspace)\.(\w{1,64})\.(\d{1,12}))\.([\w-]{43})$/;

/**
 * Opens the audio of an address, if it has not ended and who got it can still read the meeting. Called again while audio is sent.
 * @param sending true while audio is sent, which can take longer than its address works
 * @returns undefined for any other address
 */
export async function openAddress(
  store: KeptAudioStore,
  token: string,
  { sending = false } = {},
): Promise<OpenedAudio | undefined> {
  const [, text = "", id = "", kind, holder = "", until = "", signature = ""] = TOKEN.exec(token) ?? [];
  const expires = sending ? NEVER : until;
  if (id === "") return undefined;
  const scope = kind === "user" ? visibleTo({ userId: holder }) : ownedByMembers({ workspaceId: holder });
  const [row] = await runNamedStatement<KeptRow>(store.db, `heard_${scope.name}`, () => selectHeard(scope), {
    ...scope.values,
    id,
    expires,
  });
  const file = row ? open(store, row) : null;
  if (!row || !file || !timingSafeEqual(sign(file, text), Buffer.from(signature, "base64url")))
    return undefined;
  return { file, type: toType(row.format), holder, workspaceId: row.workspaceId };
}

const selectHeard = (scope: Scope): SQL => sql`
  select ${COLUMNS} from ${keptAudio} k join ${meetings} m on m.id = k.meeting_id
  where k.id = ${sql.placeholder("id")} and ${isAudible} and ${buildScopeCondition(scope)}
    and to_timestamp(${sql.placeholder("expires")}::text::float8) > now()`;

/** Returns the range of a file that a `Range` header asks for: null for all of it, `none` if it has no such bytes. */
export function readRange(
  header: string | undefined,
  size: number,
): { readonly from: number; readonly to: number } | "none" | null {
  const [, first = "", last = ""] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.trim() ?? "") ?? [];
  // Several ranges at once, and other units, are not worth supporting: the answer is all of it.
  if (first === "" && last === "") return null;
  if (first === "") {
    const length = Math.min(Number(last), size);
    return length === 0 ? "none" : { from: size - length, to: size };
  }
  const from = Number(first);
  const to = last === "" ? size : Math.min(Number(last) + 1, size);
  if (last !== "" && Number(last) < from) return null;
  return from >= size ? "none" : { from, to };
}

export { DamagedAudioError };
