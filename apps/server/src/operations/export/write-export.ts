import { mkdir, open, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { exportMeeting, exportNonMeetings } from "@minutes/core";
import { writeMarkdown, writeVtt } from "@minutes/transcripts";
import { toRefusal } from "../refusal.js";
import { removeAbandonedParts, withPart } from "../temporary-files.js";

/** Layout of an export folder: everything as lines, and each meeting again as readable documents. */
export const EXPORT_FOLDER = { lines: "export.jsonl", documents: "meetings" } as const;

type Head = Awaited<ReturnType<typeof exportNonMeetings>>;
type Meeting = Awaited<ReturnType<typeof exportMeeting>>;

/**
 * Writes an export into a folder, meeting by meeting to bound memory. Only their owner can read the files. The lines get
 * their name once they are complete, so that an interrupted export can't be taken for a whole one. Meetings deleted in the
 * meantime are left out.
 * @param options `docx` adds each meeting as a Word document
 * @returns the number of written meetings
 */
export async function writeExport(
  { records, meetingIds }: Head,
  readMeeting: (meetingId: string) => Promise<Meeting>,
  folder: string,
  { docx, onMeeting }: { readonly docx: boolean; readonly onMeeting: () => void },
): Promise<number> {
  const documents = join(folder, EXPORT_FOLDER.documents);
  await mkdir(documents, { recursive: true, mode: 0o700 });
  await removeAbandonedParts(folder);
  const file = join(folder, EXPORT_FOLDER.lines);
  return withPart(file, async (part) => {
    const lines = await open(part, "wx", 0o600);
    const writeLine = (record: object) => lines.appendFile(`${JSON.stringify(record)}\n`);
    let meetings = 0;
    try {
      for (const record of records) await writeLine(record);
      for (const meetingId of meetingIds) {
        try {
          const { record, turns, ...meeting } = await readMeeting(meetingId);
          const detail = { ...meeting.detail, startPrecision: record.startPrecision };
          await writeLine(record);
          const name = join(documents, `${record.startTime.slice(0, 10)}-${meetingId}`);
          await writeFile(`${name}.md`, writeMarkdown(detail), { mode: 0o600 });
          await writeFile(`${name}.vtt`, writeVtt(turns), { mode: 0o600 });
          if (docx) await writeFile(`${name}.docx`, await toDocx(detail, turns), { mode: 0o600 });
          meetings++;
        } catch (error) {
          if (toRefusal(error)?.code !== "NOT_FOUND") throw error;
        }
        onMeeting();
      }
      await lines.sync();
    } finally {
      await lines.close();
    }
    await rename(part, file);
    return meetings;
  });
}

type Detail = Meeting["detail"] & Pick<Meeting["record"], "startPrecision">;

const writeStart = ({ startTime, startPrecision }: Detail): string =>
  startPrecision === "day" ? startTime.slice(0, 10) : startTime;

/** Loads the writer on its first use: few exports have Word documents. */
async function toDocx(detail: Detail, turns: Meeting["turns"]): Promise<Uint8Array> {
  const { writeDocx } = await import("@minutes/transcripts/write-docx");
  return writeDocx({ ...detail, when: writeStart(detail) }, turns);
}
