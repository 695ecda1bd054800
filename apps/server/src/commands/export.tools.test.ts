import { execFileSync } from "node:child_process";
import { readdir, writeFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { findProgram, needs } from "@minutes/testing";
import { writeSrt, writeVtt } from "@minutes/transcripts/write";
import { describe, expect, test } from "vitest";
import { minutesJson } from "../testing/installation.js";
import { meeting, OWNER, openForTest, writeMeetings } from "../testing/meeting-files.js";
import { temporaryDir } from "../testing/process.js";

const SUMMARY =
  "# Plan\n\nWe **agree**, see [the drawing](https://example.com/d).\n\n- one\n  1. inner\n- two\n\n> Said\n\n| A | B |\n| - | - |\n| 1 | 2 |";
const TRANSCRIPT = [
  { speakerId: "a", speakerName: "Zoë <b>", text: "First & foremost.", start: 1.5, end: 4 },
  { speakerId: "b", speakerName: "Ben", text: "二番目\nand <w:p/>", start: 3725.25, end: 3730 },
  { speakerId: "a", speakerName: "Zoë <b>", text: "When was that?" },
];

/** Prints the paragraphs of a document, each with its style and its bold words, as JSON. */
const READ_DOCX = `
import docx, json, sys
paragraphs = docx.Document(sys.argv[1]).paragraphs
print(json.dumps([[p.style.name, p.text, [r.text for r in p.runs if r.bold]] for p in paragraphs]))`;

/** Exports a meeting. @returns the paths of its files by their extensions */
async function exportOne(): Promise<Map<string, string>> {
  const { DATA_DIR } = await openForTest();
  await minutesJson(["users", "create", OWNER], { DATA_DIR });
  const facts = {
    summary: { markdown: SUMMARY },
    transcript: TRANSCRIPT,
    tasks: [
      { text: "Call & order", assignee: { name: "Ben" } },
      { text: "Pay", completed: true },
    ],
    tags: [{ name: "Kiln" }],
  };
  const files = await writeMeetings({ "one.json": meeting("one", facts) });
  await minutesJson(["import", ...files], { DATA_DIR });
  const out = join(await temporaryDir(), "out");
  await minutesJson(["export", "--user", OWNER, "--docx", "--out", out], { DATA_DIR });
  const folder = join(out, "meetings");
  return new Map((await readdir(folder)).map((name) => [extname(name), join(folder, name)]));
}

/** Reads the cues of subtitles, as players do. */
const readCues = (file: string) => {
  const args = ["-v", "error", "-i", file, "-map", "0:s:0", "-f", "webvtt", "-"];
  const shown = execFileSync(findProgram("ffmpeg") ?? "", args, { encoding: "utf8" });
  return shown.trim().split("\n\n").slice(1);
};

/** Programs that people open exports with. They know nothing of what wrote the files. */
describe("an exported meeting", needs("embedded", "python3-docx", "ffmpeg"), () => {
  test("opens as a Word document and as subtitles, with the times that are known", async () => {
    const files = await exportOne();
    const file = files.get(".docx") ?? "";
    const read = execFileSync("/usr/bin/python3", ["-c", READ_DOCX, file], { encoding: "utf8" });
    const paragraphs = JSON.parse(read) as [style: string, text: string, bold: string[]][];
    // Spaces at the end of a line or cell show nothing.
    const shown = paragraphs.map(([style, text]) => `${style}: ${text.replace(/ (?=[\t\n]|$)/g, "")}`);
    expect(shown).toEqual([
      "Title: Planning",
      expect.stringMatching(/^Normal: 2026-01-05T\S+ · Recorded by /),
      "Normal: Tags: Kiln",
      "Heading 1: Summary",
      "Heading 2: Plan",
      "Normal: We agree, see the drawing (https://example.com/d).",
      ...["Normal: one", "Normal: inner", "Normal: two", "Quote: Said", "Normal: A\tB", "Normal: 1\t2"],
      ...["Heading 1: Tasks", "Normal: ☐ Call & order (Ben)", "Normal: ☑ Pay"],
      "Heading 1: Transcript",
      "Normal: Zoë <b>  0:01\nFirst & foremost.",
      "Normal: Ben  1:02:05\n二番目\nand <w:p/>",
      "Normal: Zoë <b>\nWhen was that?",
    ]);
    const bold = paragraphs.flatMap(([, , words]) => words);
    expect(bold).toEqual(["agree", "A", "B", "Zoë <b>", "Ben", "Zoë <b>"]);
    const [first, second, ...others] = readCues(files.get(".vtt") ?? "");
    expect(first).toMatch(/^00:01\.500 --> 00:04\.000\n.*First &(amp;)? foremost\./);
    expect(second).toMatch(/^01:02:05\.250 --> 01:02:10\.000\n.*二番目 and [\s\S]*When was that\?/);
    expect(others).toEqual([]);
  });

  test("opens as SubRip at the same times; without times there are no cues", async () => {
    const turns = TRANSCRIPT.map(({ speakerName, text, ...times }) => ({
      ...{ speaker: speakerName, text, start: times.start ?? null, end: times.end ?? null },
    }));
    const srt = join(await temporaryDir(), "one.srt");
    await writeFile(srt, writeSrt(turns));
    const [first, second, ...others] = readCues(srt);
    expect(first).toMatch(/^00:01\.500 --> 00:04\.000\n/);
    expect(second).toMatch(/^01:02:05\.250 --> 01:02:10\.000\n- Ben: 二番目 and .*\n- Zoë .*When was that\?/);
    expect(others).toEqual([]);
    const untimed = join(await temporaryDir(), "untimed.vtt");
    await writeFile(untimed, writeVtt(turns.map((turn) => ({ ...turn, start: null, end: null }))));
    expect(readCues(untimed)).toEqual([]);
  });
});
