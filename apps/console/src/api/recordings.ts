import { useSyncExternalStore } from "react";
import { requireSignedIn } from "./account";
import { leaveWhenSignedOut, me, meClient, queryClient } from "./clients";
import { untilReachable } from "./connection";
import { sendFile } from "./send-file";
import { getErrorMessage, getRetryAfter, getStatus, NotReached } from "./transport";

/** Where the server receives recordings by tus 1.0, which continues an upload where the stored audio ends. */
const UPLOADS = "/audio/v1/uploads";
const TUS = { "tus-resumable": "1.0.0" };
/** Attempts that may fail in succession without getting further. */
const ATTEMPTS = 6;
/** Key in local storage for the uploads that this browser began: their IDs, and when their files were last modified. */
const BEGUN = "begun-uploads";
/** Maximum number of uploads that are remembered. */
const REMEMBERED = 100;

/** A recording that this page sends. */
export interface SentRecording {
  readonly key: number;
  /** Null until the server knows it. */
  readonly id: string | null;
  readonly name: string;
  readonly size: number;
  /** `failed` was refused, or did not get through. */
  readonly state: "waiting" | "sending" | "paused" | "failed";
  /** Bytes the server has received. */
  readonly received: number;
  /** Error message; null unless it failed. */
  readonly error: string | null;
}

interface Task {
  readonly file: File;
  /** Days for which the page said that audio is kept when the file was added. */
  readonly keepDays: number;
  stop?: AbortController;
  /** Settles when nothing is being sent any more. */
  running?: Promise<void>;
}

/** Kept outside the pages, so uploads continue while another page is open. */
let recordings: readonly SentRecording[] = [];
const listeners = new Set<() => void>();
const tasks = new Map<number, Task>();
let lastKey = 0;
/** Recordings are uploaded one at a time. */
let queue: Promise<void> = Promise.resolve();

function set(next: readonly SentRecording[]): void {
  recordings = next;
  for (const listener of listeners) listener();
}
const change = (key: number, fields: Partial<SentRecording>) =>
  set(recordings.map((one) => (one.key === key ? { ...one, ...fields } : one)));
const find = (key: number) => recordings.find((one) => one.key === key);
function forget(key: number): void {
  tasks.delete(key);
  set(recordings.filter((one) => one.key !== key));
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** Returns the recordings that this page sends, in the order in which they were added. */
export const useSentRecordings = () => useSyncExternalStore(subscribe, () => recordings);

/** The user's uploaded recordings, and whether the server takes any. */
export const listed = me.transcriptions.list.queryOptions({});
const refresh = () => queryClient.invalidateQueries({ queryKey: listed.queryKey });

const readBegun = (): Record<string, number> => JSON.parse(localStorage.getItem(BEGUN) ?? "{}");

/** Remembers an upload without the file's name, so that the same file continues it after a reload. */
function remember(id: string, { lastModified }: File): void {
  const begun = [...Object.entries(readBegun()), [id, lastModified] as const].slice(-REMEMBERED);
  localStorage.setItem(BEGUN, JSON.stringify(Object.fromEntries(begun)));
}

/** Returns true for an upload that this browser began, so that the user can choose its file again. */
export const isBegunHere = (id: string): boolean => readBegun()[id] !== undefined;

/** Names of the files that this page sent: the server forgets them when their meetings are complete. */
const names = new Map<string, string>();
export const recallName = (id: string): string | undefined => names.get(id);

/** Returns the interrupted upload of this file, if any. */
async function findBegun({ name, size, lastModified }: File): Promise<string | null> {
  const begun = readBegun();
  const { transcriptions } = await queryClient.fetchQuery({ ...listed, staleTime: 0 });
  const found = transcriptions.find(
    (one) =>
      one.state === "uploading" &&
      one.fileName === name &&
      one.size === size &&
      begun[one.id] === lastModified &&
      !recordings.some(({ id }) => id === one.id),
  );
  return found?.id ?? null;
}

/**
 * Uploads recordings one after another. A file whose upload was interrupted continues.
 * @param keepDays days for which the page says that audio is kept; 0: it didn't say so
 */
export function addRecordings(files: readonly File[], keepDays: number): void {
  for (const file of files) {
    const key = ++lastKey;
    tasks.set(key, { file, keepDays });
    const { name, size } = file;
    set([...recordings, { key, id: null, name, size, state: "waiting", received: 0, error: null }]);
    enqueue(key);
  }
}

/** Stops sending a recording until it is resumed. Others are sent meanwhile. */
export function pauseRecording(key: number): void {
  change(key, { state: "paused" });
  tasks.get(key)?.stop?.abort();
}

/** Continues a recording that was paused or failed. */
export function resumeRecording(key: number): void {
  change(key, { state: "waiting", error: null });
  enqueue(key);
}

/** Stops sending a recording, and deletes what the server has. */
export async function cancelRecording(key: number): Promise<void> {
  const task = tasks.get(key);
  pauseRecording(key);
  await task?.running;
  const id = find(key)?.id;
  if (id != null) await deleteRecording(id);
  forget(key);
}

/** Deletes a recording on the server; its meeting stays. */
export async function deleteRecording(transcriptionId: string): Promise<void> {
  await meClient.transcriptions.delete.mutate({ transcriptionId }).catch((error: unknown) => {
    if (getStatus(error) !== 404) throw error;
  });
  await refresh();
}

function enqueue(key: number): void {
  queue = queue.then(() => {
    const task = tasks.get(key);
    // It can be paused, canceled or resumed while it waits.
    if (!task || find(key)?.state !== "waiting") return;
    task.stop = new AbortController();
    task.running = run(key, task, task.stop.signal);
    return task.running;
  });
}

/** Statuses after which the server no longer has the upload. */
const GONE: readonly (number | null)[] = [404, 415, 422];

async function run(key: number, task: Task, signal: AbortSignal): Promise<void> {
  change(key, { state: "sending" });
  try {
    await upload(key, task, signal);
    await refresh();
    forget(key);
  } catch (error) {
    if (signal.aborted) return;
    leaveWhenSignedOut(error);
    const message = error instanceof NotReached ? CUT_OFF : getErrorMessage(error);
    change(key, {
      state: "failed",
      error: message,
      ...(GONE.includes(getStatus(error)) ? { id: null } : {}),
    });
  }
}

const CUT_OFF = "The upload does not get through. Check the connection and the file, then continue.";

const pause = (milliseconds: number) => new Promise((done) => setTimeout(done, milliseconds));

/** Waits no longer than until the signal, so that pausing and canceling never wait for the server. @throws the signal's reason */
function orAborted(wait: Promise<unknown>, signal: AbortSignal): Promise<unknown> {
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
  return Promise.race([wait, aborted]);
}

/** Sends a recording until the server has all of it, also over connections that are cut. */
async function upload(key: number, { file, keepDays }: Task, signal: AbortSignal): Promise<void> {
  let failures = 0;
  let furthest = -1;
  for (;;) {
    try {
      const id = find(key)?.id ?? (await findBegun(file)) ?? (await create(file, keepDays));
      change(key, { id });
      names.set(id, file.name);
      const { received } = await meClient.transcriptions.get.query({ transcriptionId: id }, { signal });
      if (received > furthest) failures = 0;
      furthest = Math.max(furthest, received);
      return await sendRest(key, id, file, received, signal);
    } catch (error) {
      signal.throwIfAborted();
      // A request that began before somebody signed in again in another tab.
      if (getStatus(error) === 401) await orAborted(requireSignedIn(), signal);
      else if (!isPassing(error)) throw error;
      if (++failures === ATTEMPTS) throw error;
      await orAborted(pause(getRetryAfter(error) * 1000 || 1000 * 2 ** (failures - 1)), signal);
      await orAborted(untilReachable(), signal);
    }
  }
}

/** Returns true for a failure that can pass: a cut connection, a busy server, or a request that still holds the upload. */
function isPassing(error: unknown): boolean {
  const status = getStatus(error);
  return status === null || status === 409 || status === 429 || (status >= 500 && status !== 501);
}

const encode = (text: string) => btoa(String.fromCharCode(...new TextEncoder().encode(text)));

/** Creates an upload. @returns its id */
async function create(file: File, keepDays: number): Promise<string> {
  const about = { filename: file.name, lastModified: file.lastModified, keepDays };
  const metadata = Object.entries(about).map(([name, value]) => `${name} ${encode(String(value))}`);
  const request = await sendFile("POST", UPLOADS, {
    headers: { ...TUS, "upload-length": String(file.size), "upload-metadata": metadata.join(",") },
  });
  const id = request.getResponseHeader("location")?.split("/").at(-1) ?? "";
  remember(id, file);
  return id;
}

async function sendRest(
  key: number,
  id: string,
  file: File,
  received: number,
  signal: AbortSignal,
): Promise<void> {
  change(key, { received });
  if (received === file.size) return;
  await sendFile("PATCH", `${UPLOADS}/${id}`, {
    headers: { ...TUS, "upload-offset": String(received), "content-type": "application/offset+octet-stream" },
    body: file.slice(received),
    signal,
    onProgress: (loaded) => change(key, { received: received + loaded }),
  });
}
