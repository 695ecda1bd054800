import type { IncomingMessage } from "node:http";
import { MESSAGES } from "@minutes/contract";
import {
  ApiError,
  actorOf,
  authenticateIngest,
  isToken,
  parseTarget,
  requireApiAccess,
  requireQuota,
  sendResponse,
  toErrorBody,
  toErrorResponse,
  toQuotaHeaders,
} from "@minutes/core";
import {
  createUpload,
  deleteTranscription,
  type FoundUpload,
  getUpload,
  receiveAudio,
  type Uploader,
  type UploadState,
  uploadedBy,
} from "@minutes/core/transcriptions";
import type { RequestHandler } from "express";
import type { AudioService } from "../../operations/audio/transcribe-uploads.js";
import { createCredentialCheck, readAddress, readKeyOrBearer, verifyApiKey } from "../routes/api-keys.js";
import type { AppServices } from "../routes/services.js";
import { authenticateUser } from "../routes/session.js";
import { readMetadata, writeMetadata } from "./metadata.js";

const VERSION = { "Tus-Resumable": "1.0.0" };
const ABILITIES = {
  ...VERSION,
  "Tus-Version": "1.0.0",
  "Tus-Extension": "creation,expiration,termination",
};
const AUDIO_TYPE = "application/offset+octet-stream";

type Headers = Record<string, string>;
interface Answer {
  readonly status: number;
  readonly headers: Headers;
}

/** Somebody who uploads, and the headers of every response to them. */
interface Admitted {
  readonly uploader: Uploader;
  readonly headers: Readonly<Headers>;
}

export interface TusOptions {
  /** Where uploads are created. */
  readonly path: string;
  /** Called with a loggable description of a fault of the service. */
  readonly onFault: (fault: string, request: IncomingMessage) => void;
}

/**
 * Serves uploads of audio by tus 1.0: creation, expiration and termination. What a client sent is durable in records of 256 KB, so
 * that it continues there after a killed connection or server.
 * @see https://tus.io/protocols/resumable-upload
 */
export function createTusHandler(
  dependencies: AppServices,
  audio: AudioService,
  { path, onFault }: TusOptions,
): RequestHandler {
  const { store } = audio;
  const handle = async (request: IncomingMessage, headers: Headers): Promise<Answer> => {
    if (request.method === "OPTIONS") {
      const size = { "Tus-Max-Size": String(store.maxBytes) };
      return { status: 204, headers: { ...ABILITIES, ...size } };
    }
    const admitted = await admit(dependencies, request);
    Object.assign(headers, admitted.headers);
    if (request.headers["tus-resumable"] !== VERSION["Tus-Resumable"]) {
      headers["Tus-Version"] = "1.0.0";
      throw new ApiError("PRECONDITION_FAILED", MESSAGES.tusVersion);
    }
    const id = parseTarget(request.url ?? "/").path;
    const { uploader } = admitted;
    if (request.method === "POST" && id === "") {
      const upload = await createUpload(store, uploader, readUpload(request));
      return { status: 201, headers: { Location: `${path}/${upload.id}`, ...describe(upload) } };
    }
    if (request.method === "HEAD" && id !== "")
      return { status: 200, headers: describeFound(await getUpload(store, uploader, id)) };
    if (request.method === "PATCH" && id !== "") {
      const received = await receiveAudio(store, uploader, id, readAudio(request));
      audio.wake();
      return { status: 204, headers: { "Upload-Offset": String(received) } };
    }
    if (request.method === "DELETE" && id !== "") {
      await deleteTranscription(store.db, uploadedBy(uploader), id, audio);
      return { status: 204, headers: {} };
    }
    throw new ApiError("METHOD_NOT_SUPPORTED", MESSAGES.uploadMethod, {
      Allow: id === "" ? "POST, OPTIONS" : "HEAD, PATCH, DELETE, OPTIONS",
    });
  };
  return async (request, response) => {
    const headers: Headers = { ...VERSION };
    try {
      const answer = await handle(request, headers);
      sendResponse(response, answer.status, { ...headers, ...answer.headers }, "");
    } catch (error) {
      if (request.socket.destroyed) return; // the client was cut off, and continues later
      const { status, message, headers: own, fault } = toErrorResponse(error);
      if (fault !== null) onFault(fault, request);
      sendResponse(response, status, { ...headers, ...own }, toErrorBody(message));
    } finally {
      // A body that nobody reads would keep the client from reading the answer.
      request.resume();
    }
  };
}

/**
 * Admits a personal key that may write, a signed-in user or a recorder, and counts the request.
 * @throws ApiError 401, 403, 429
 */
async function admit(dependencies: AppServices, request: IncomingMessage): Promise<Admitted> {
  const key = readKeyOrBearer(request);
  if (key !== undefined && isToken("ik_", key)) {
    const check = createCredentialCheck(dependencies, request);
    const { caller, quota } = await authenticateIngest(dependencies.db, key, dependencies.ingestLimit, check);
    dependencies.keyNetworks.record("ingest-key", actorOf(caller), readAddress(request));
    dependencies.requests.count(`ingest:${caller.workspaceId}`);
    requireQuota(quota);
    return { uploader: caller, headers: toQuotaHeaders(quota) };
  }
  if (request.headers["x-api-key"] !== undefined || (key !== undefined && isToken("jk_", key))) {
    const verified = await verifyApiKey(dependencies, request, key);
    const uploader = requireApiAccess(verified, "user");
    if (verified.access !== "full") throw new ApiError("FORBIDDEN", MESSAGES.readOnlyKey);
    return { uploader, headers: toQuotaHeaders(verified.quota) };
  }
  const { user, quota } = await authenticateUser(dependencies, request, "console");
  requireQuota(quota);
  return { uploader: user, headers: toQuotaHeaders(quota) };
}

const describe = ({ received, size, expiresAt }: UploadState): Headers => ({
  "Upload-Offset": String(received),
  "Upload-Length": String(size),
  ...(expiresAt === null ? {} : { "Upload-Expires": new Date(expiresAt).toUTCString() }),
});

/** Names the file as well, so that a client doesn't continue with another one. */
const describeFound = ({ name, modifiedAt, ...upload }: FoundUpload): Headers => ({
  ...describe(upload),
  "Upload-Metadata": writeMetadata({ filename: name, lastModified: Date.parse(modifiedAt) }),
});

/** Reads a number of bytes. @throws ApiError 400 */
function readBytes(value: string | string[] | undefined, message: string): number {
  const bytes = /^\d{1,15}$/.test(String(value)) ? Number(value) : Number.NaN;
  if (Number.isNaN(bytes)) throw new ApiError("BAD_REQUEST", message);
  return bytes;
}

/** @throws ApiError 400 */
function readUpload({ headers }: IncomingMessage) {
  return { size: readBytes(headers["upload-length"], MESSAGES.uploadLength), ...readMetadata(headers) };
}

/** @throws ApiError 400, 415 */
function readAudio(request: IncomingMessage) {
  const { headers } = request;
  if (headers["content-type"] !== AUDIO_TYPE)
    throw new ApiError("UNSUPPORTED_MEDIA_TYPE", MESSAGES.uploadType);
  const length = headers["content-length"];
  return {
    offset: readBytes(headers["upload-offset"], MESSAGES.uploadOffset),
    length: length === undefined ? undefined : readBytes(length, MESSAGES.badRequest),
    // A refusal is answered, so it must not destroy the request.
    body: request.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>,
  };
}
