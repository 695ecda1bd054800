import type { Provided } from "./options.js";

/** Address and credential for uploads. */
export interface RecordingsOptions {
  /** The service's address with scheme: `https://minutes.example.com`. */
  readonly baseUrl: string;
  /** A personal key that may write (`jk_…`) or an ingest key (`ik_…`), or a function that returns one. */
  readonly apiKey: Provided<string>;
  /** Replaces the global `fetch`. */
  readonly fetch?: typeof fetch | undefined;
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
  readonly signal?: AbortSignal | undefined;
}

/** A refused upload, or one that does not get through. */
export class UploadError extends Error {
  override name = "UploadError";
  /** @param status HTTP status; null if there was no answer */
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

/** Attempts that may fail in succession without getting further. */
const ATTEMPTS = 6;
/** Minimum length of a request in bytes, and number of requests for a longer file: each counts against the quota. */
const PART = 1024 * 1024;
const PARTS = 20;

type Send = (method: "POST" | "HEAD" | "PATCH", path: string, more?: RequestInit) => Promise<Headers>;

/**
 * Creates a client for uploads of audio by tus 1.0, in Node and in pages of the service's own origin.
 *
 * @example
 * const recordings = createRecordings({ baseUrl: "https://minutes.example.com", apiKey });
 * const { id } = await recordings.upload(await openAsBlob("call.mp3"), { name: "call.mp3" });
 */
export function createRecordings(options: RecordingsOptions) {
  const { baseUrl } = options;
  const url = `${baseUrl}${baseUrl.endsWith("/") ? "" : "/"}audio/v1/uploads`;
  return {
    /**
     * Uploads a recording, which is then transcribed: `GET /rest/v1/me/transcriptions/{id}` says what becomes of it. After a lost
     * connection or a busy service it continues where the service's part ends.
     * @throws UploadError, or the signal's reason
     */
    upload: async (file: Blob, upload: UploadOptions = {}): Promise<{ readonly id: string }> => {
      const send = createSend(url, options, upload.signal);
      let id = upload.resume;
      await retry(upload.signal, async (advance) => {
        id ??= await create(send, file, upload);
        upload.onCreated?.(id);
        let received = readOffset(await send("HEAD", `/${id}`).catch(explainGone));
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

/** Says what a 404 to a HEAD, which has no body, means. */
function explainGone(error: unknown): never {
  if (!(error instanceof UploadError) || error.status !== 404) throw error;
  throw new UploadError("This upload doesn't exist any more. Upload the file without `resume`.", 404);
}

const readOffset = (headers: Headers) => Number(headers.get("upload-offset"));

const sendPart = (send: Send, id: string, file: Blob, from: number) =>
  send("PATCH", `/${id}`, {
    headers: { "upload-offset": String(from), "content-type": "application/offset+octet-stream" },
    body: file.slice(from, from + Math.max(PART, Math.ceil(file.size / PARTS))),
  });

/** Creates an upload. @returns its ID */
async function create(send: Send, file: Blob, { name, lastModified, ...options }: UploadOptions) {
  const about = file as Partial<Pick<File, "name" | "lastModified">>;
  const values = {
    filename: name ?? about.name,
    lastModified: lastModified ?? about.lastModified,
    ownerEmail: options.ownerEmail,
    keepDays: options.keepDays,
  };
  const encode = (text: string) => btoa(String.fromCharCode(...new TextEncoder().encode(text)));
  const metadata = Object.entries(values).flatMap(([key, value]) =>
    value === undefined ? [] : `${key} ${encode(String(value))}`,
  );
  const headers = { "upload-length": String(file.size), "upload-metadata": metadata.join(",") };
  return (await send("POST", "", { headers })).get("location")?.split("/").at(-1) ?? "";
}

function createSend(
  url: string,
  { apiKey, fetch: own = fetch }: RecordingsOptions,
  signal: AbortSignal | undefined,
): Send {
  return async (method, path, { headers, body = null } = {}) => {
    const key = typeof apiKey === "function" ? await apiKey() : apiKey;
    const answer = await own(`${url}${path}`, {
      ...{ method, body, redirect: "error" },
      headers: { "tus-resumable": "1.0.0", "x-api-key": key, ...(headers as Record<string, string>) },
      ...(signal ? { signal } : {}),
    }).catch((cause: unknown) => {
      signal?.throwIfAborted();
      throw new UploadError("The service can't be reached.", null, 0, { cause });
    });
    const text = await answer.text().catch(() => "");
    if (answer.ok) return answer.headers;
    throw new UploadError(
      readMessage(text) ?? `The service answered with status ${answer.status}.`,
      answer.status,
      Number(answer.headers.get("retry-after") ?? 0),
    );
  };
}

function readMessage(text: string): string | undefined {
  try {
    const { error } = JSON.parse(text) as { error?: unknown };
    return typeof error === "string" ? error : undefined;
  } catch {
    return undefined;
  }
}

/** Returns true for a failure that can pass: no answer, a busy service, or a request that still holds the upload. */
const isPassing = ({ status }: UploadError) =>
  status === null || status === 409 || status === 429 || (status >= 500 && status !== 501);

/** Repeats work that gets further, with a growing pause. */
async function retry(
  signal: AbortSignal | undefined,
  work: (advance: (to: number) => void) => Promise<void>,
): Promise<void> {
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
    const timer = setTimeout(end, milliseconds);
    signal?.addEventListener("abort", end);
  });
