import { LIMITS, MESSAGES, type UploadedFile, type UploadReport } from "@minutes/contract";
import { type SignedInUser, type SummaryQueue, uploadMeeting } from "@minutes/core";
import type { Database } from "@minutes/db";
import { importMeetings, type StoreMeeting } from "../import/import-meetings.js";
import { parseMeetings } from "../import/parse-file.js";
import { isExportText } from "../import/restore-file.js";

/** Who uploads. Every meeting of the file becomes theirs. */
export type Uploader = Pick<SignedInUser, "userId" | "workspaceId"> & { readonly email: string };

const LENIENT_HINT = "The choice “Keep lines without a speaker” keeps such lines.";

/** Imports the meetings of an uploaded file with the code of `minutes import`, and reports what became of each. */
export async function uploadFile(
  db: Database,
  uploader: Uploader,
  { lenient, ...file }: UploadedFile,
  summaries: SummaryQueue,
): Promise<UploadReport> {
  const report = {
    created: 0,
    unchanged: 0,
    meetingIds: [],
    failed: [],
    unassigned: [],
  } satisfies UploadReport as UploadReport;
  const refuse = (error: string) => ({ ...report, failed: [{ index: null, line: null, error }] });
  if (isExportText(file.text)) return refuse(MESSAGES.uploadedExport);
  const meetings = parseMeetings(file, { owner: uploader.email, lenient, lenientHint: LENIENT_HINT });
  if (meetings.length > LIMITS.uploadMeetings) return refuse(MESSAGES.tooManyUploaded);

  const store: StoreMeeting = async (meeting) => {
    const answer = await uploadMeeting(db, uploader, meeting, summaries.enabled);
    if (answer.state === "processing") summaries.wake();
    report.meetingIds.push(answer.meetingId);
    return answer;
  };
  for await (const outcome of importMeetings(file.name, meetings, store)) {
    if (outcome === "created" || outcome === "unchanged") report[outcome] += 1;
    else if (typeof outcome === "object" && "error" in outcome) {
      const { index, line, error } = outcome;
      report.failed.push({ index, line, error });
    } else if (typeof outcome === "object") report.unassigned.push(...outcome.unassigned);
  }
  return report;
}
