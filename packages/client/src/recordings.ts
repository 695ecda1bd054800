import { toServiceUrl } from "./base-url.js";
import { toSendable } from "./credential.js";
import type { Provided } from "./options.js";
import type { Transcription } from "./routers.js";

export type { Transcription };

/** Address and credential for uploads. */
export interface RecordingsOptions {
  /** The service's address with scheme: `https://minutes.example.com`. */
  readonly baseUrl: string;
  /** A personal key that may write (`jk_…`) or an ingest key (`ik_…`), or a function that returns one. */
  readonly apiKey: Provided<string>;
  /** Replaces the global `fetch`. */
  readonly fetch?: typeof fetch | undefined;
  /** Timeout of a request without audio in ms; 30,000 by default. */
  readonly timeout?: number | undefined;
}

/** What is said about a file, and how its upload is followed. */
export interface UploadOptions {
  /** The file's name, for title and start; by default a `File`'s. */
  readonly name?: string | undefined;
  /** When the file was last modified, in Unix milliseconds; by default a `File`'s. */
  readonly lastModified?: number | undefined;
  /** E-mail address of the owner; only with an ingest key. */
  readonly ownerEmail?: string | undefined;
  /**
   * Maximum number of days for which the service keeps the audio, 0 for none: what you told the people recorded. By default, those of
   * the workspace.
   */
  readonly keepDays?: number | undefined;
  /** ID of an upload of the same file that was interrupted. It continues. */
  readonly resume?: string | undefined;
  /** Called with the ID once the service knows the upload, for `resume`. */
  readonly onCreated?: ((id: string) => void) | undefined;
  /** Called with the number of bytes that the service has. */
  readonly onProgress?: ((received: number, size: number) => void) | undefined;
  /** Aborts the upload. */
  readonly signal?: AbortSignal | undefined;
}

/** A recording that became a meeting, or failed. */
export type EndedTranscription = Transcription &
  (
    | { readonly state: "completed"; readonly meetingId: string }
    | { readonly state: "failed"; readonly failure: string }
  );

/** How a recording is waited for. */
export interface WaitOptions {
  /** Called with the recording at first, and whenever it got further. */
  readonly onProgress?: ((transcription: Transcription) => void) | undefined;
  /** Stops waiting. */
  readonly signal?: AbortSignal | undefined;
}

/** A refused upload or read, or one that does not get through. */
export class UploadError extends Error {
  override name = "UploadError";
  /** @param status HTTP status, or the fitting one if nothing was sent; null if there was no answer, which can pass */
  constructor(
    message: string,
    readonly status: number | null,
    /** Seconds to wait, as requested by the service; 0 if it requested nothing. */
    readonly retryAfter: number = 0,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

const UPLOADS = "audio/v1/uploads";
const TUS = { "tus-resumable": "1.0.0" };
/** Attempts that may fail in succession without getting further. */
const ATTEMPTS = 6;
/** Minimum length of a request in bytes, and number of requests for a longer file: each counts against the quota. */
const PART = 1024 * 1024;
const PARTS = 20;

/** Pause between two reads of a recording that is waited for, in ms: after a change, and at most. */
const FIRST_PAUSE = 1_000;
const LONGEST_PAUSE = 15_000;

/** Sends a request. @param path below the base address, which can depend on the key */
type Send = (
  method: "GET" | "POST" | "HEAD" | "PATCH",
  path: string | ((key: string) => string),
  more?: { readonly headers?: Readonly<Record<string, string>>; readonly body?: Blob },
) => Promise<{ readonly headers: Headers; readonly text: string }>;

/**
 * Creates a client for uploads of audio by tus 1.0, in Node and in pages of the service's own origin.
 *
 * @throws TypeError for a `baseUrl` that can't be one
 * @example
 * const recordings = createRecordings({ baseUrl: "https://minutes.example.com", apiKey });
 * const { id } = await recordings.upload(await openAsBlob("call.mp3"), { name: "call.mp3" });
 * const { state, meetingId, failure } = await recordings.wait(id);
 */
export function createRecordings(options: RecordingsOptions) {
  const url = toServiceUrl(options.baseUrl, "");
  const get = async (id: string, { signal }: Pick<WaitOptions, "signal"> = {}): Promise<Transcription> => {
    const send = createSend(url, options, signal);
    return retry(signal, () => read(send, id));
  };
  return {
    /**
     * Reads how far an uploaded recording is, why it failed, or the ID of its meeting. A personal key reads those of its user, an
     * ingest key those that it uploaded.
     * @throws UploadError, with status 404 for an unknown one; or the signal's reason
     */
    get,

    /**
     * Waits until a recording has become a meeting or failed: `failure` says why. Reads it every second at first, later every 15
     * seconds. Without a `signal`, it waits as long as the service works on it, which can be hours.
     * @throws UploadError, with status 404 once an unfinished upload has expired; or the signal's reason
     */
    wait: async (id: string, { onProgress, signal }: WaitOptions = {}): Promise<EndedTranscription> => {
      let before = "";
      for (let milliseconds = FIRST_PAUSE; ; milliseconds = Math.min(milliseconds * 1.5, LONGEST_PAUSE)) {
        const transcription = await get(id, { signal });
        const now = JSON.stringify(transcription);
        if (now !== before) {
          milliseconds = FIRST_PAUSE;
          onProgress?.(transcription);
        }
        before = now;
        if (hasEnded(transcription)) return transcription;
        await pause(milliseconds, signal);
      }
    },

    /**
     * Uploads a recording, which is then transcribed: `wait` says what becomes of it. After a lost connection or a busy service it
     * continues where the service's part ends.
     * @throws UploadError, or the signal's reason
     */
    upload: async (file: Blob, upload: UploadOptions = {}): Promise<{ readonly id: string }> => {
      const send = createSend(url, options, upload.signal);
      let id = upload.resume;
      await retry(upload.signal, async (advance) => {
        id ??= await create(send, file, upload);
        upload.onCreated?.(id);
        const known = await send("HEAD", `${UPLOADS}/${id}`, { headers: TUS }).catch(explainGone);
        if (upload.resume !== undefined) requireSameFile(known.headers, file, upload);
        let received = readOffset(known);
        while (received < file.size) {
          report(received);
          received = readOffset(await sendPart(send, id, file, received));
        }
        report(received);
        function report(bytes: number) {
          advance(bytes);
          upload.onProgress?.(bytes, file.size);
        }
      });
      return { id: id ?? "" };
    },
  };
}

const hasEnded = (transcription: Transcription): transcription is EndedTranscription =>
  transcription.state === "completed" || transcription.state === "failed";

/** Reads an uploaded recording. */
async function read(send: Send, id: string): Promise<Transcription> {
  // URLs have no segment that is empty or consists of dots: the request would reach something else.
  if (/^\.{0,2}$/.test(id)) throw new TypeError(`The ID of a recording can't be "${id}".`);
  const path = `transcriptions/${encodeURIComponent(id)}`;
  const { text } = await send("GET", (key) => `rest/v1/${key.startsWith("ik_") ? "" : "me/"}${path}`);
  const answer = parse(text);
  if (typeof answer.state === "string") return answer as Transcription;
  // An answer that broke off is read again.
  const status = text === "" ? null : 200;
  throw new UploadError("The answer is not from Minutes, or incomplete. Check baseUrl.", status);
}

/** Says what a 404 to a HEAD, which has no body, means. */
function explainGone(error: unknown): never {
  if (!(error instanceof UploadError) || error.status !== 404) throw error;
  throw new UploadError("This upload doesn't exist any more. Upload the file without `resume`.", 404);
}

/** Refuses to continue the upload of another file, whose bytes would follow those of the first. @throws UploadError */
function requireSameFile(headers: Headers, file: Blob, upload: UploadOptions): void {
  const begun = readMetadata(headers.get("upload-metadata") ?? "");
  const now = describeFile(file, upload);
  const differs = (["filename", "lastModified"] as const).some(
    (name) => begun.has(name) && now[name] !== undefined && begun.get(name) !== String(now[name]),
  );
  const length = headers.get("upload-length");
  if (!differs && (length === null || Number(length) === file.size)) return;
  throw new UploadError("The upload to resume is of another file. Upload this one without `resume`.", 200);
}

const readMetadata = (header: string): Map<string, string> =>
  new Map(
    header.split(",").map((pair) => {
      const [name = "", value = ""] = pair.trim().split(" ");
      return [name, new TextDecoder().decode(Uint8Array.from(atob(value), (char) => char.charCodeAt(0)))];
    }),
  );

const readOffset = ({ headers }: { readonly headers: Headers }) => Number(headers.get("upload-offset"));

const sendPart = (send: Send, id: string, file: Blob, from: number) =>
  send("PATCH", `${UPLOADS}/${id}`, {
    headers: {
      ...TUS,
      "upload-offset": String(from),
      "content-type": "application/offset+octet-stream",
    },
    body: file.slice(from, from + Math.max(PART, Math.ceil(file.size / PARTS))),
  });

/** Returns what is known of a file, its name without folders. */
function describeFile(file: Blob, { name, lastModified }: UploadOptions) {
  const known = file as Partial<Pick<File, "name" | "lastModified">>;
  const path = name ?? known.name;
  return {
    filename: path?.replace(/^.*[/\\]/s, "").trim(),
    lastModified: lastModified ?? known.lastModified,
  };
}

/** Creates an upload. @returns its ID */
async function create(send: Send, file: Blob, upload: UploadOptions) {
  const { ownerEmail, keepDays } = upload;
  const values = { ...describeFile(file, upload), ownerEmail, keepDays };
  const encode = (text: string) => btoa(String.fromCharCode(...new TextEncoder().encode(text)));
  const metadata = Object.entries(values).flatMap(([key, value]) =>
    value === undefined ? [] : `${key} ${encode(String(value))}`,
  );
  const about = { "upload-length": String(file.size), "upload-metadata": metadata.join(",") };
  const { headers } = await send("POST", UPLOADS, { headers: { ...TUS, ...about } });
  return headers.get("location")?.split("/").at(-1) ?? "";
}

function createSend(
  url: string,
  { apiKey, fetch: own = fetch, timeout = 30_000 }: RecordingsOptions,
  signal: AbortSignal | undefined,
): Send {
  return async (method, path, { headers, body = null } = {}) => {
    const given = typeof apiKey === "function" ? await apiKey() : apiKey;
    const key = toSendable(given, (message) => new UploadError(message, 401));
    const late = body === null ? AbortSignal.timeout(timeout) : undefined;
    const signals = [signal, late].filter((one) => one !== undefined);
    const answer = await own(`${url}${typeof path === "function" ? path(key) : path}`, {
      ...{ method, body, redirect: "error" },
      headers: { "x-api-key": key, ...headers },
      signal: AbortSignal.any(signals),
    }).catch((cause: unknown) => {
      signal?.throwIfAborted();
      const message = late?.aborted
        ? `The service did not answer within ${timeout} ms.`
        : "The service can't be reached.";
      throw new UploadError(message, null, 0, { cause });
    });
    const text = await answer.text().catch(() => "");
    if (answer.ok) return { headers: answer.headers, text };
    const { error } = parse(text);
    throw new UploadError(
      typeof error === "string" ? error : `The service answered with status ${answer.status}.`,
      answer.status,
      Number(answer.headers.get("retry-after") ?? 0),
    );
  };
}

/** Parses an answer. Anything but an object is an empty one. */
function parse(text: string): { readonly error?: unknown; readonly state?: unknown } {
  try {
    return Object(JSON.parse(text)) as object;
  } catch {
    return {};
  }
}

/** Returns true for a failure that can pass: no answer, a busy service, or a request that still holds the upload. */
const isPassing = ({ status }: UploadError) =>
  status === null || status === 409 || status === 429 || (status >= 500 && status !== 501);

/** Repeats work that gets further, with a growing pause. */
async function retry<Result>(
  signal: AbortSignal | undefined,
  work: (advance: (to: number) => void) => Promise<Result>,
): Promise<Result> {
  let failures = 0;
  let furthest = -1;
  const advance = (to: number) => {
    if (to > furthest) failures = 0;
    furthest = Math.max(furthest, to);
  };
  for (;;) {
    signal?.throwIfAborted();
    try {
      return await work(advance);
    } catch (error) {
      if (!(error instanceof UploadError && isPassing(error)) || ++failures === ATTEMPTS) throw error;
      await pause(error.retryAfter * 1000 || 1000 * 2 ** (failures - 1), signal);
    }
  }
}

const pause = (milliseconds: number, signal?: AbortSignal) =>
  new Promise<void>((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, signal?.aborted ? 0 : milliseconds);
    signal?.addEventListener("abort", end);
  });
