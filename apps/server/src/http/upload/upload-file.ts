import {
  LIMITS,
  MESSAGES,
  type UploadedFile,
  type UploadPreview,
  type UploadReport,
} from "@minutes/contract";
import {
  findUploaded,
  getAccount,
  listKnownNames,
  listTagReaders,
  type SummaryQueue,
  type UserCaller,
  uploadMeeting,
} from "@minutes/core";
import type { Database } from "@minutes/db";
import { isAudio } from "@minutes/transcripts/audio";
import { importMeetings, type StoreMeeting } from "../../operations/import/import-meetings.js";
import type { ParsedPart, ReadMeeting, SkippedFiles } from "../../operations/import/outcome.js";
import type { ParseDocument } from "../../operations/import/parse-in-thread.js";
import { isExportText } from "../../operations/import/restore-file.js";

const LENIENT_HINT = "Choose “Keep lines without a speaker” to keep such lines.";

/** Reads the meetings of an uploaded file as `importFile` does, and stores nothing. */
export async function previewFile(
  db: Database,
  caller: UserCaller,
  file: UploadedFile,
  parse: ParseDocument,
): Promise<UploadPreview> {
  const preview: UploadPreview = { meetings: [], failed: [], skipped: [] };
  const parts = await readUploaded(db, caller, file, parse);
  const externalIds = parts.flatMap((part) => ("input" in part ? [part.input.externalId] : []));
  const known = await findUploaded(db, caller, externalIds);
  for (const one of parts) {
    if ("skipped" in one) {
      preview.skipped = nameSkipped(file, one);
      continue;
    }
    const place = { file: nameInArchive(file, one.file), index: one.index, line: one.line };
    if ("error" in one) preview.failed.push({ ...place, error: one.error });
    else preview.meetings.push({ ...one.reading, ...place, duplicate: known.has(one.input.externalId) });
  }
  return preview;
}

/** Imports the meetings of an uploaded file for the caller, as `minutes import` does, and reports the result of each. */
export async function importFile(
  db: Database,
  caller: UserCaller,
  file: UploadedFile,
  { parse, summaries }: { readonly parse: ParseDocument; readonly summaries: SummaryQueue },
): Promise<UploadReport> {
  const report = {
    created: 0,
    unchanged: 0,
    meetingIds: [],
    failed: [],
    skipped: [],
    sharedByTag: [],
    unassigned: [],
    notStored: [],
    fileTimes: [],
  } satisfies UploadReport as UploadReport;
  const created: string[] = [];
  const store: StoreMeeting = async (meeting) => {
    const answer = await uploadMeeting(db, caller, meeting, summaries);
    report.meetingIds.push(answer.meetingId);
    if (answer.created) created.push(answer.meetingId);
    return answer;
  };
  /** What was read for the meeting whose result comes next. */
  let read: ReadMeeting | undefined;
  for await (const outcome of importMeetings(await readUploaded(db, caller, file, parse), store)) {
    if (outcome === "created" || outcome === "unchanged") report[outcome] += 1;
    if (outcome === "created" && read?.reading.startSource === "fileTime") {
      const { index, line, reading } = read;
      const { title, startTime } = reading;
      report.fileTimes.push({ file: nameInArchive(file, read.file), index, line, title, startTime });
    }
    if (typeof outcome !== "object") continue;
    if ("error" in outcome) {
      const { index, line, error } = outcome;
      report.failed.push({ file: nameInArchive(file, outcome.file), index, line, error });
    } else if ("notStored" in outcome) {
      const { index, line, notStored } = outcome;
      report.notStored.push({ file: nameInArchive(file, outcome.file), index, line, fields: [...notStored] });
    } else if ("skipped" in outcome) {
      report.skipped = nameSkipped(file, outcome);
    } else if ("reading" in outcome) {
      read = outcome;
    } else if ("unassigned" in outcome) {
      const room = LIMITS.uploadUnassignedLines - report.unassigned.length;
      report.unassigned.push(...outcome.unassigned.slice(0, room));
    }
  }
  report.sharedByTag = await listTagReaders(db, created);
  return report;
}

const nameInArchive = ({ name }: UploadedFile, file: string): string | null =>
  file.startsWith(`${name}/`) ? file.slice(name.length + 1) : null;

const nameSkipped = (file: UploadedFile, { skipped }: SkippedFiles): string[] =>
  skipped.slice(0, LIMITS.uploadSkippedFiles).map((path) => nameInArchive(file, path) ?? path);

/** Parses and validates the meetings of an uploaded file. */
async function readUploaded(
  db: Database,
  caller: UserCaller,
  { name, text, bytes: base64, modifiedAt, starts, ...choices }: UploadedFile,
  parse: ParseDocument,
): Promise<ParsedPart[]> {
  const bytes = Buffer.from(text ?? base64 ?? "", text === undefined ? "base64" : "utf8");
  const refuse = (error: string) => [{ file: name, index: null, line: null, error }];
  if (isExportText(bytes.toString("latin1", 0, 100))) return refuse(MESSAGES.uploadedExport);
  if (isAudio({ name, bytes })) return refuse(MESSAGES.uploadedAudio);
  const { email } = await getAccount(db, caller.userId);
  return parse(
    { name, bytes: new Uint8Array(bytes), modifiedAt },
    {
      ...choices,
      starts: starts.map((one) => ({ ...one, file: one.file === null ? name : `${name}/${one.file}` })),
      owner: email,
      people: await listKnownNames(db, caller),
      lenientHint: LENIENT_HINT,
      maxMeetings: LIMITS.uploadMeetings,
    },
  );
}
