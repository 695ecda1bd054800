import { readdirSync, readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { MeetingImportInput } from "@minutes/contract";
import { findSearchBenchmark } from "@minutes/testing";
import { toSegments } from "@minutes/transcripts";

/** A real meeting's transcript, of QMSum, as it lies in the data set. */
interface Source {
  readonly id: string;
  readonly title: string;
  /** `YYYY-MM-DD` */
  readonly date: string;
  readonly segments: readonly { readonly speaker: string; readonly text: string }[];
}

/** A meeting as it is imported, and what `meetings.get` has to answer for its transcript. */
export interface QmsumMeeting {
  readonly input: MeetingImportInput;
  readonly transcript: string;
}

/**
 * Reads the 197 meetings of QMSum from the search benchmark's directory.
 * @throws Error when it is missing
 */
export function readQmsumMeetings(ownerEmail: string): QmsumMeeting[] {
  const directory = findSearchBenchmark();
  if (!directory) throw new Error("The search benchmark is missing: set SEARCHBENCH_DIR.");
  return ["train", "val"].flatMap((split) => {
    const folder = join(directory, split, "meetings");
    return readdirSync(folder)
      .filter((name) => name.endsWith(".json"))
      .sort()
      .map((name) => convert(JSON.parse(readFileSync(join(folder, name), "utf8")) as Source, ownerEmail));
  });
}

/** Writes them as files that `minutes import` reads, with an owner to be named there. */
export async function writeQmsumFiles(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const { input } of readQmsumMeetings("")) {
    const { ownerEmail: _, ...meeting } = input;
    await writeFile(join(folder, `${input.externalId}.json`), JSON.stringify(meeting));
  }
}

function convert({ id, title, date, segments }: Source, ownerEmail: string): QmsumMeeting {
  const input: MeetingImportInput = {
    externalId: `qmsum-${id}`,
    ownerEmail,
    title,
    startTime: `${date}T09:00:00.000Z`,
    transcript: toSegments(segments),
  };
  return { input, transcript: toTranscriptMarkdown(segments) };
}

/** Writes a transcript as the service shows it: each speaker's name bold, then what was said. */
const toTranscriptMarkdown = (turns: readonly { speaker: string; text: string }[]): string =>
  turns.map(({ speaker, text }) => `**${speaker.replace(/[\\*_`]/g, "\\$&")}**: ${text}`).join("\n\n");
