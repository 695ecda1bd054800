import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readFile, toSegments, UNKNOWN_SPEAKER } from "./index.js";

/** Samples of every tool's files with their right parses, which some checkouts have beside them. */
const folder = join(import.meta.dirname, "../../../../shared/transcripts");

interface Expected {
  readonly turns?: readonly (readonly [string | null, string, number | null])[];
  readonly meetings?: number;
  readonly title?: string;
  readonly tasks?: number;
  readonly attendees?: number;
  readonly email?: string;
}

/** Files that name no speaker: only `lenient` accepts them. */
const LENIENT = new Set(["v03-teams-unattributed.vtt", "j02-whisper-verbose.json"]);

const expected: Record<string, Expected> = existsSync(folder)
  ? JSON.parse(readFileSync(join(folder, "expected.json"), "utf8"))
  : {};

describe.skipIf(!existsSync(folder))("shared samples are read as their README says", () => {
  test.each(Object.entries(expected))("%s", async (name, want) => {
    const bytes = readFileSync(join(folder, "samples", name));
    const { meetings } = await readFile({ name, bytes }, { lenient: LENIENT.has(name) });
    if (want.meetings !== undefined) return expect(meetings).toHaveLength(want.meetings);
    const [one] = meetings;
    if (!one || !("transcript" in one)) throw new Error(JSON.stringify(one));
    const { turns, unassigned, title, tasks, event } = one.transcript;
    const read = toSegments(turns);
    expect(
      read.map(({ speakerName, text, start }) => [
        speakerName === UNKNOWN_SPEAKER ? null : speakerName,
        text,
        start ?? null,
      ]),
    ).toEqual(want.turns);
    expect(unassigned.length > 0).toBe(LENIENT.has(name));
    if (want.title !== undefined) expect(title).toBe(want.title);
    if (want.tasks !== undefined) expect(tasks).toHaveLength(want.tasks);
    if (want.attendees !== undefined) expect(event?.attendees).toHaveLength(want.attendees);
    if (want.email !== undefined) expect(read.map(({ speakerEmail }) => speakerEmail)).toContain(want.email);
  });
});
