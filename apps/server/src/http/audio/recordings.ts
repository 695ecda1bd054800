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
  dependencies: Pick<AppServices, "credentials" | "keptAudio">,
  onFault: (fault: string, request: IncomingMessage) => void,
  listeners = new Listeners(),
): RequestHandler {
  const { keptAudio: store } = dependencies;
  if (!store)
    return (_request, response) => sendError(response, new ApiError("NOT_FOUND", MESSAGES.audioAddress));
  const requests = new TokenBuckets(RATE);
  const report = (error: unknown, request: IncomingMessage) => {
    const { fault } = toErrorResponse(error);
    if (fault !== null) onFault(fault, request);
  };
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
    await send(store, opened, listeners, {
      ...{ request, response, check: checkAgain },
      onFault: (error) => report(error, request),
    });
  };
  return (request, response) => {
    answer(request, response).catch((error: unknown) => {
      // The client left or jumped elsewhere, the address has ended, or the fault was reported while audio was read.
      if (response.headersSent || response.destroyed) return void response.destroy();
      report(error, request);
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
  /** Resolves to a falsy value once the audio can't be heard anymore. */
  readonly check: () => Promise<unknown>;
  /** Called when audio can't be read after the first byte was sent. */
  readonly onFault: (error: unknown) => void;
}

const HEADERS = {
  "Accept-Ranges": "bytes",
  "Cache-Control": "private, no-store",
  "X-Content-Type-Options": "nosniff",
};

/** Sends audio, or a range of it. Costs about the range: only its records are read and decrypted. */
async function send(
  store: KeptAudioStore,
  opened: OpenedAudio,
  listeners: Listeners,
  { request, response, ...exchange }: Exchange,
): Promise<void> {
  const { file, type } = opened;
  const size = file.received;
  // Audio never changes, but without a validator a condition can't match.
  const asked = request.headers["if-range"] === undefined ? readRange(request.headers.range, size) : null;
  if (asked === "none") {
    response.writeHead(416, { ...HEADERS, "Content-Range": `bytes */${size}`, "Content-Length": 0 }).end();
    return;
  }
  const { from, to } = asked ?? { from: 0, to: size };
  const begin = () =>
    response.writeHead(asked ? 206 : 200, {
      ...{ ...HEADERS, "Content-Type": type, "Content-Length": to - from },
      ...(asked ? { "Content-Range": `bytes ${from}-${to - 1}/${size}` } : {}),
    });
  const reader = await store.files.open(file).catch((error: unknown) => {
    throw error instanceof DamagedAudioError ? new ApiError("NOT_FOUND", MESSAGES.audioAddress) : error;
  });
  try {
    if (request.method === "HEAD") begin().end();
    else
      await listeners.run(opened, (signal, progress) => {
        begin();
        const audio = readWhileAllowed(reader.stream(from, to), { ...exchange, progress });
        return pipeline(audio, response, { signal });
      });
  } finally {
    await reader.close();
  }
}

/** Yields audio. @throws EndedError once it can't be heard anymore, or any error of reading it, which is reported */
async function* readWhileAllowed(
  audio: AsyncIterable<Buffer>,
  { check, onFault, progress }: Pick<Exchange, "check" | "onFault"> & { readonly progress: () => void },
): AsyncGenerator<Buffer> {
  let unchecked = 0;
  try {
    for await (const chunk of audio) {
      if (unchecked >= CHECKED_BYTES) {
        progress();
        if (!(await check())) throw new EndedError();
        unchecked = 0;
      }
      unchecked += chunk.length;
      yield chunk;
    }
  } catch (error) {
    if (!(error instanceof EndedError)) onFault(error);
    throw error;
  }
}
