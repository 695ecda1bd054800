import type { UploadPreview, UploadReport } from "@minutes/contract";
import { hasAudioExtension } from "@minutes/transcripts/extensions";
import { useSyncExternalStore } from "react";
import { leaveWhenSignedOut, me, queryClient, settings } from "./clients";
import { sendFile } from "./send-file";
import { getErrorMessage, NotReached } from "./transport";

/** What the person says about a file. */
export interface UploadChoices {
  /** Keeps lines of transcripts that name no speaker. */
  readonly lenient: boolean;
  readonly speakers: readonly string[];
  readonly notSpeakers: readonly string[];
  /** Zone of dates without one. */
  readonly timeZone: string;
  /** Title instead of the file's. */
  readonly title?: string;
  /** Starts of its meetings instead of their own. */
  readonly starts: readonly (MeetingPlace & { readonly startTime: string })[];
}

/** Where a meeting is in a file or an archive. */
export type MeetingPlace = Pick<UploadPreview["meetings"][number], "file" | "index" | "line">;
const isSamePlace = (one: MeetingPlace, other: MeetingPlace) =>
  one.file === other.file && one.index === other.index && one.line === other.line;

/** Returns the start that the person chose for a meeting, if any. */
export const findStart = ({ choices }: Upload, place: MeetingPlace): string | undefined =>
  choices.starts.find((one) => isSamePlace(one, place))?.startTime;

/** Sets the start of a meeting. */
export function chooseStart({ id, choices }: Upload, place: MeetingPlace, startTime: string): void {
  const { file, index, line } = place;
  const others = choices.starts.filter((one) => !isSamePlace(one, place));
  chooseForUpload(id, { starts: [...others, { file, index, line, startTime }] });
}

/** A file that the person added. */
export interface Upload {
  readonly id: number;
  readonly name: string;
  /** `ready`: it was read, and waits for the person's word. */
  readonly state: "waiting" | "sending" | "reading" | "ready" | "done" | "failed";
  /** Progress of the upload, 0 to 1. */
  readonly progress: number;
  /** What was read; null until it is. */
  readonly preview: UploadPreview | null;
  readonly choices: UploadChoices;
  /** Result of the import; null until it is done. */
  readonly report: UploadReport | null;
  /** Error message; null unless it failed. */
  readonly error: string | null;
}

/** Kept outside the pages, so uploads continue while another page is open. */
let uploads: readonly Upload[] = [];
const listeners = new Set<() => void>();
const files = new Map<number, File>();
let lastId = 0;
/** Files are uploaded one at a time. */
let queue: Promise<void> = Promise.resolve();

function set(next: readonly Upload[]): void {
  uploads = next;
  for (const listener of listeners) listener();
}
const change = (id: number, fields: Partial<Upload>) =>
  set(uploads.map((upload) => (upload.id === id ? { ...upload, ...fields } : upload)));

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** Returns the files added since the page was loaded, oldest first. */
export const useUploads = () => useSyncExternalStore(subscribe, () => uploads);

const isEnded = ({ state }: Upload) => state === "done" || state === "failed";

/** Removes files that are imported, failed or only shown. */
export function clearUploads(): void {
  const kept = uploads.filter((upload) => !isEnded(upload) && upload.state !== "ready");
  for (const { id } of uploads) if (!kept.some((one) => one.id === id)) files.delete(id);
  set(kept);
}

/** Sends files to the server, one after another, which shows what they contain. */
export function addUploads(added: readonly File[], lenient: boolean): void {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  for (const file of added) {
    const id = ++lastId;
    files.set(id, file);
    const choices = { lenient, speakers: [], notSpeakers: [], starts: [], timeZone };
    const shown = { state: "waiting", progress: 0, preview: null, report: null, error: null } as const;
    set([...uploads, { id, name: file.name, choices, ...shown }]);
    enqueue(id, preview);
  }
}

/** Changes what the person says about a file, and reads it again. */
export function chooseForUpload(id: number, choices: Partial<UploadChoices>): void {
  const upload = uploads.find((one) => one.id === id);
  if (upload?.state !== "ready" && upload?.state !== "failed") return;
  change(id, { choices: { ...upload.choices, ...choices } });
  // A title and a start are shown as they are typed.
  if (choices.title !== undefined || choices.starts !== undefined) return;
  enqueue(id, preview);
}

/** Imports the files that were read, one after another. */
export function importUploads(ids: readonly number[]): void {
  for (const id of ids) {
    if (uploads.find((one) => one.id === id)?.state !== "ready") continue;
    change(id, { state: "waiting", progress: 0 });
    enqueue(id, store);
  }
}

function enqueue(id: number, work: (id: number, file: File) => Promise<void>): void {
  queue = queue.then(async () => {
    const file = files.get(id);
    if (!file) return;
    try {
      await work(id, file);
    } catch (error) {
      leaveWhenSignedOut(error);
      change(id, { state: "failed", error: getErrorMessage(error) });
    }
  });
}

async function preview(id: number, file: File): Promise<void> {
  const read = await send<UploadPreview>("preview", id, file);
  const state = read.meetings.length > 0 ? "ready" : "failed";
  change(id, { state, progress: 1, preview: read, error: null });
}

async function store(id: number, file: File): Promise<void> {
  const report = await send<UploadReport>("import", id, file);
  change(id, { state: "done", progress: 1, report });
  files.delete(id);
  if (report.created > 0)
    await queryClient.invalidateQueries({ queryKey: me.meetings.pathKey(), refetchType: "active" });
  await queryClient.invalidateQueries({ queryKey: settings.plan.pathKey() });
}

/** Reads a file as text if it is in UTF-8, otherwise as Base64. */
async function readContent(file: File): Promise<{ text: string } | { bytes: string }> {
  // Audio is refused by its name, so there is no need to send it.
  if (hasAudioExtension(file.name)) return { text: "" };
  const bytes = new Uint8Array(await file.arrayBuffer());
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    if (!text.includes("\0") && !text.startsWith("PK")) return { text };
  } catch {
    // Another encoding, or no text.
  }
  const url = await new Promise<string>((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(new NotReached());
    reader.readAsDataURL(file);
  });
  return { bytes: url.slice(url.indexOf(",") + 1) };
}

/** Uploads one file. */
async function send<Answer>(call: "preview" | "import", id: number, file: File): Promise<Answer> {
  const { preview: shown, choices } = uploads.find((one) => one.id === id) ?? {};
  // What is shown of a file stays while it is read again.
  const follow = (fields: Partial<Upload>) => {
    if (call === "import" || !shown) change(id, fields);
  };
  follow({ state: "sending", progress: 0 });
  const title = choices?.title?.trim() || undefined;
  const modifiedAt = new Date(file.lastModified).toISOString();
  const content = await readContent(file);
  const { response } = await sendFile("POST", `/upload/v1/files.${call}`, {
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ json: { name: file.name, ...content, modifiedAt, ...choices, title } }),
    onProgress: (loaded, total) => {
      const progress = total > 0 ? loaded / total : 0;
      follow({ progress, state: progress === 1 ? "reading" : "sending" });
    },
  });
  return response.result.data.json as Answer;
}
