import { LIMITS, MESSAGES, type UploadedFile, type UploadReport } from "@minutes/contract";
import { listTagReaders, type SignedInUser, type SummaryQueue, uploadMeeting } from "@minutes/core";
import type { Database } from "@minutes/db";
import { importMeetings, type StoreMeeting } from "../../operations/import/import-meetings.js";
import type { ParseDocument } from "../../operations/import/parse-in-thread.js";
import { isExportText } from "../../operations/import/restore-file.js";

/** The uploading user, who becomes the owner of every meeting in the file. */
type Uploader = Pick<SignedInUser, "userId" | "workspaceId"> & { readonly email: string };

/** Context of a procedure under `/upload/v1`. */
export interface UploadContext {
  readonly db: Database;
  readonly uploader: Uploader;
  readonly parse: ParseDocument;
  readonly summaries: SummaryQueue;
}

const LENIENT_HINT = "Choose “Keep lines without a speaker” to keep such lines.";

/** Imports the meetings of an uploaded file, as `minutes import` does, and reports the result of each. */
export async function uploadFile(
  { db, uploader, parse, summaries }: UploadContext,
  { lenient, ...file }: UploadedFile,
): Promise<UploadReport> {
  const report = {
    created: 0,
    unchanged: 0,
    meetingIds: [],
    failed: [],
    sharedByTag: [],
    unassigned: [],
    notStored: [],
  } satisfies UploadReport as UploadReport;
  const refuse = (error: string) => ({ ...report, failed: [{ index: null, line: null, error }] });
  if (isExportText(file.text)) return refuse(MESSAGES.uploadedExport);
  const meetings = await parse(file, {
    owner: uploader.email,
    lenient,
    lenientHint: LENIENT_HINT,
    maxMeetings: LIMITS.uploadMeetings,
  });

  const created: string[] = [];
  const store: StoreMeeting = async (meeting) => {
    const answer = await uploadMeeting(db, uploader, meeting, summaries.enabled);
    if (answer.state === "processing") summaries.wake();
    report.meetingIds.push(answer.meetingId);
    if (answer.created) created.push(answer.meetingId);
    return answer;
  };
  for await (const outcome of importMeetings(file.name, meetings, store)) {
    if (outcome === "created" || outcome === "unchanged") report[outcome] += 1;
    else if (typeof outcome === "object" && "error" in outcome) {
      const { index, line, error } = outcome;
      report.failed.push({ index, line, error });
    } else if (typeof outcome === "object" && "notStored" in outcome) {
      const { index, line, notStored } = outcome;
      report.notStored.push({ index, line, fields: [...notStored] });
    } else if (typeof outcome === "object") {
      const room = LIMITS.uploadUnassignedLines - report.unassigned.length;
      report.unassigned.push(...outcome.unassigned.slice(0, room));
    }
  }
  report.sharedByTag = await listTagReaders(db, created);
  return report;
}
