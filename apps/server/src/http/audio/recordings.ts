import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { pipeline } from "node:stream/promises";
import { MESSAGES, wrongResourceMethod } from "@minutes/contract";
import { ApiError, TokenBuckets, toErrorResponse } from "@minutes/core";
import {
  DamagedAudioError,
  type KeptAudioStore,
  type OpenedAudio,
  openAddress,
  readRange,
} from "@minutes/core/kept-audio";
import type { AudioReader } from "@minutes/core/transcriptions";
import type { RequestHandler, Response } from "express";
import { sendError } from "../oauth/serve.js";
import { createCredentialCheck } from "../routes/api-keys.js";
import type { AppServices } from "../routes/services.js";
import { Listeners } from "./listeners.js";

/** Requests of a holder: a player sends one for each jump. */
const RATE = { burst: 120, perSecond: 2, buckets: 20_000 };

/** Number of bytes after which it is checked again whether the audio can be heard: two minutes of speech. */
const CHECKED_BYTES = 1024 * 1024;

/** The address ended while its audio was sent. */
class EndedError extends Error {
  override name = "EndedError";
}

/**
 * Serves kept audio by signed addresses, with ranges. The signature is the credential; rights are checked by each request, and while
 * audio is sent.
 * @see docs/decisions/0388-kept-audio.md
 */
export function serveRecordings(
  dependencies: AppServices,
  onFault: (fault: string, request: IncomingMessage) => void,
): RequestHandler {
  const { keptAudio: store } = dependencies;
  if (!store)
    return (_request, response) => sendError(response, new ApiError("NOT_FOUND", MESSAGES.audioAddress));
  const listeners = new Listeners();
  const requests = new TokenBuckets(RATE);
  const answer = async (request: Parameters<RequestHandler>[0], response: Response) => {
    if (request.method !== "GET" && request.method !== "HEAD")
      throw new ApiError("METHOD_NOT_SUPPORTED", wrongResourceMethod("GET, HEAD"), { Allow: "GET, HEAD" });
    const token = request.path.slice(1);
    const check = () => openAddress(store, token);
    const checkAgain = () => openAddress(store, token, { sending: true });
    const hash = createHash("sha256").update(token).digest();
    const opened = await createCredentialCheck(dependencies, request)(hash, check);
    if (!opened) throw new ApiError("NOT_FOUND", MESSAGES.audioAddress);
    limitRate(requests, opened);
    await listeners.run(opened.holder, (signal) =>
      send(store, opened, checkAgain, { request, response, signal }),
    );
  };
  return (request, response) => {
    answer(request, response).catch((error: unknown) => {
      // The client left or jumped elsewhere, or the address has ended.
      if (response.destroyed || error instanceof EndedError) return void response.destroy();
      const { fault } = toErrorResponse(error);
      if (fault !== null) onFault(fault, request);
      sendError(response, error);
    });
  };
}

/** @throws ApiError 429 */
function limitRate(requests: TokenBuckets, { holder }: OpenedAudio): void {
  const now = performance.now();
  const seconds = requests.getSecondsUntilToken(holder, now);
  if (seconds > 0)
    throw new ApiError("TOO_MANY_REQUESTS", MESSAGES.tooManyPlays, { "Retry-After": String(seconds) });
  requests.take(holder, now);
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: Response;
  readonly signal: AbortSignal;
}

/** Sends audio, or a range of it. Costs about the range: only its records are read and decrypted. */
async function send(
  store: KeptAudioStore,
  { file, type }: OpenedAudio,
  check: () => Promise<unknown>,
  { request, response, signal }: Exchange,
): Promise<void> {
  const size = file.received;
  // Audio never changes, but without a validator a condition can't match.
  const asked = request.headers["if-range"] === undefined ? readRange(request.headers.range, size) : null;
  const headers = {
    "Accept-Ranges": "bytes",
    "Cache-Control": "private, no-store",
    "X-Content-Type-Options": "nosniff",
  };
  if (asked === "none") {
    response.writeHead(416, { ...headers, "Content-Range": `bytes */${size}`, "Content-Length": 0 }).end();
    return;
  }
  const reader = await store.files.open(file).catch((error: unknown) => {
    throw error instanceof DamagedAudioError ? new ApiError("NOT_FOUND", MESSAGES.audioAddress) : error;
  });
  try {
    const { from, to } = asked ?? { from: 0, to: size };
    response.writeHead(asked ? 206 : 200, {
      ...{ ...headers, "Content-Type": type, "Content-Length": to - from },
      ...(asked ? { "Content-Range": `bytes ${from}-${to - 1}/${size}` } : {}),
    });
    if (request.method === "HEAD") response.end();
    else await pipeline(readWhileAllowed(reader, from, to, check), response, { signal });
  } finally {
    await reader.close();
  }
}

/** Yields audio. @throws EndedError once it can't be heard anymore, DamagedAudioError */
async function* readWhileAllowed(
  reader: AudioReader,
  from: number,
  to: number,
  check: () => Promise<unknown>,
): AsyncGenerator<Buffer> {
  let unchecked = 0;
  for await (const audio of reader.stream(from, to)) {
    if (unchecked >= CHECKED_BYTES) {
      if (!(await check())) throw new EndedError();
      unchecked = 0;
    }
    unchecked += audio.length;
    yield audio;
  }
}
