import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { MeetingImportInput } from "@minutes/contract";
import { findSearchBenchmark } from "@minutes/testing";
import { toSegments } from "@minutes/transcripts";

/** The transcript of a real QMSum meeting, in the data set's format. */
interface Source {
  readonly id: string;
  readonly title: string;
  /** `YYYY-MM-DD` */
  readonly date: string;
  readonly segments: readonly { readonly speaker: string; readonly text: string }[];
}

/** A meeting to import, and the expected transcript of `meetings.get`. */
export interface QmsumMeeting {
  readonly input: MeetingImportInput;
  readonly transcript: string;
}

/**
 * Reads the 197 QMSum meetings from the search benchmark's directory.
 * @throws Error if it is missing
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

/** Formats a transcript as the service does: each speaker's name in bold, then what they said. */
const toTranscriptMarkdown = (turns: readonly { speaker: string; text: string }[]): string =>
  turns.map(({ speaker, text }) => `**${speaker.replace(/[\\*_`]/g, "\\$&")}**: ${text}`).join("\n\n");
