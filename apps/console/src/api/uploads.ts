import type { UploadReport } from "@minutes/contract";
import { useSyncExternalStore } from "react";
import { leaveWhenSignedOut, me, queryClient, settings } from "./clients";
import { getErrorMessage, NotReached, readErrorMessage } from "./transport";

/** A file that the user added. */
export interface Upload {
  readonly id: number;
  readonly name: string;
  readonly state: "waiting" | "sending" | "reading" | "done" | "failed";
  /** Progress of the upload, 0 to 1. */
  readonly progress: number;
  /** Result; null until it is done. */
  readonly report: UploadReport | null;
  /** Error message; null unless it failed. */
  readonly error: string | null;
}

/** Kept outside the pages, so uploads continue while another page is open. */
let uploads: readonly Upload[] = [];
const listeners = new Set<() => void>();
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

/** Removes finished and failed files. */
export const clearUploads = () => set(uploads.filter(({ state }) => state !== "done" && state !== "failed"));

/** Sends files to the server, one after another. `lenient` keeps lines of transcripts that name no speaker. */
export function addUploads(files: readonly File[], lenient: boolean): void {
  for (const file of files) {
    const id = ++lastId;
    const upload: Upload = { id, name: file.name, state: "waiting", progress: 0, report: null, error: null };
    set([...uploads, upload]);
    queue = queue.then(() => run(id, file, lenient));
  }
}

async function run(id: number, file: File, lenient: boolean): Promise<void> {
  try {
    change(id, { state: "sending" });
    const onProgress = (progress: number) =>
      change(id, { progress, state: progress === 1 ? "reading" : "sending" });
    const report = await send(file, lenient, onProgress);
    change(id, { state: "done", progress: 1, report });
    if (report.created > 0)
      await queryClient.invalidateQueries({ queryKey: me.meetings.pathKey(), refetchType: "active" });
    await queryClient.invalidateQueries({ queryKey: settings.plan.pathKey() });
  } catch (error) {
    leaveWhenSignedOut(error);
    change(id, { state: "failed", error: getErrorMessage(error) });
  }
}

/** Uploads one file. Uses XMLHttpRequest because fetch reports no upload progress. */
async function send(
  file: File,
  lenient: boolean,
  onProgress: (fraction: number) => void,
): Promise<UploadReport> {
  const modifiedAt = new Date(file.lastModified).toISOString();
  const body = JSON.stringify({ json: { name: file.name, text: await file.text(), modifiedAt, lenient } });
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", "/upload/v1/files.import");
    request.setRequestHeader("content-type", "application/json");
    request.responseType = "json";
    request.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0);
    request.onerror = () => reject(new NotReached());
    request.onload = () => {
      const { status, response } = request;
      if (status === 200) resolve(response.result.data.json as UploadReport);
      else {
        const retryAfter = Number(request.getResponseHeader("retry-after") ?? 0);
        const error = new Error(readErrorMessage(response, status, retryAfter));
        reject(Object.assign(error, { data: { httpStatus: status } }));
      }
    };
    request.send(body);
  });
}
