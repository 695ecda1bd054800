import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { exportMeeting, exportNonMeetings } from "@minutes/core";
import { writeMarkdown, writeVtt } from "@minutes/transcripts";
import { toRefusal } from "../refusal.js";
import { EXPORT_FOLDER } from "./export-folder.js";

type Head = Awaited<ReturnType<typeof exportNonMeetings>>;
type Meeting = Awaited<ReturnType<typeof exportMeeting>>;

/**
 * Writes an export into a folder, meeting by meeting to bound memory. Only their owner can read the files. Meetings
 * deleted in the meantime are left out.
 * @returns the number of written meetings
 */
export async function writeExport(
  { records, meetingIds }: Head,
  readMeeting: (meetingId: string) => Promise<Meeting>,
  folder: string,
  onMeeting: () => void,
): Promise<number> {
  const documents = join(folder, EXPORT_FOLDER.documents);
  await mkdir(documents, { recursive: true, mode: 0o700 });
  const lines = createWriteStream(join(folder, EXPORT_FOLDER.lines), { mode: 0o600 });
  await once(lines, "open");
  const writeLine = async (record: object) => {
    if (!lines.write(`${JSON.stringify(record)}\n`)) await once(lines, "drain");
  };
  for (const record of records) await writeLine(record);
  let meetings = 0;
  for (const meetingId of meetingIds) {
    try {
      const { record, detail, turns } = await readMeeting(meetingId);
      await writeLine(record);
      const name = join(documents, `${record.startTime.slice(0, 10)}-${meetingId}`);
      await writeFile(`${name}.md`, writeMarkdown(detail), { mode: 0o600 });
      await writeFile(`${name}.vtt`, writeVtt(turns), { mode: 0o600 });
      meetings++;
    } catch (error) {
      if (toRefusal(error)?.code !== "NOT_FOUND") throw error;
    }
    onMeeting();
  }
  lines.end();
  await once(lines, "close");
  return meetings;
}
