import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { zipSync } from "fflate";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { findFiles } from "./find-files.js";
import { importFile, readMeetings } from "./import-file.js";

// The thread has its own copy of the parser; a hostile file would block this one.
vi.mock("./parse-file.js", () => ({
  parseMeetings: () => {
    throw new Error("The file was parsed outside of the thread.");
  },
}));

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "minutes-import-"));
  await mkdir(join(folder, "deep"));
  const cue = "00:00:01.000 --> 00:01:30.500\n<v Anna>Hello</v>\n";
  await writeFile(join(folder, "deep", "GMT20250314-093000_Recording.vtt"), `WEBVTT\n\n${cue}`);
  await writeFile(join(folder, "talk.srt"), "1\n00:00:01,000 --> 00:00:02,000\nBob: Hi\n");
  await writeFile(join(folder, "2025-01-06 notes.txt"), "Eve: Late.\nAgain.\n");
  await writeFile(join(folder, "broken.vtt"), "WEBVTT\n\nx\n");
  await writeFile(join(folder, "readme.md"), "Not a transcript.");
  await writeFile(join(folder, "picture.png"), "");
  for (const name of ["~$notes.txt", "._notes.txt", ".~lock.notes.txt#", "Thumbs.db", "desktop.ini"])
    await writeFile(join(folder, name), "Ann: left by a program.\n");
  const line = (title: string) =>
    JSON.stringify({
      externalId: title,
      ownerEmail: "a@example.com",
      title,
      startTime: "2025-01-06T09:00:00Z",
    });
  await writeFile(join(folder, "lines.jsonl"), `${line("one")}\n\n${line("")}\n`);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const nameOf = (file: string) => file.split("/").at(-1);

test("folders, patterns and names expand to files, without duplicates", async () => {
  const found = await findFiles([folder, join(folder, "talk.srt"), join(folder, "none.json")]);
  const { files: all } = found;
  expect(found.skipped.map(nameOf)).toEqual(["picture.png"]);
  expect(all.map(nameOf).sort()).toEqual([
    "2025-01-06 notes.txt",
    "GMT20250314-093000_Recording.vtt",
    "broken.vtt",
    "lines.jsonl",
    "none.json",
    "talk.srt",
  ]);
  const matched = await findFiles([join(folder, "*.{srt,txt}")]);
  expect(matched.files.map(nameOf)).toEqual(["2025-01-06 notes.txt", "talk.srt"]);
});

test("only export.jsonl is read from an exported folder, because the documents are the same meetings", async () => {
  const backup = await mkdtemp(join(tmpdir(), "minutes-backup-"));
  await mkdir(join(backup, "old", "meetings"), { recursive: true });
  await mkdir(join(backup, "meetings"));
  onTestFinished(() => rm(backup, { recursive: true }));
  for (const file of ["old/export.jsonl", "old/meetings/2025-01-06-mtg_1.vtt", "meetings/mine.vtt"])
    await writeFile(join(backup, file), "");
  expect((await findFiles([backup])).files.map(nameOf)).toEqual(["mine.vtt", "export.jsonl"]);
});

test("a transcript becomes a meeting of the given owner, dated by its file name, with a stable id", async () => {
  const file = join(folder, "deep", "GMT20250314-093000_Recording.vtt");
  const choices = { owner: "anna@example.com", tags: ["Zoom"] };
  const [meeting] = await readMeetings(file, choices);
  expect(meeting).toMatchObject({
    input: {
      externalId: expect.stringMatching(/^file:[0-9a-f]{40}$/),
      ownerEmail: "anna@example.com",
      title: "Meeting of 2025-03-14",
      startTime: "2025-03-14T09:30:00.000Z",
      endTime: "2025-03-14T09:31:30.500Z",
      transcript: [{ speakerId: "s1", speakerName: "Anna", text: "Hello", start: 1, end: 90.5 }],
      tags: [{ name: "Zoom" }],
    },
  });
  expect(await readMeetings(file, choices)).toEqual([meeting]);
  const [notes] = await readMeetings(join(folder, "2025-01-06 notes.txt"), choices);
  expect(notes).toMatchObject({
    input: {
      startTime: "2025-01-06T00:00:00.000Z",
      transcript: [{ speakerName: "Eve", text: "Late.\nAgain." }],
    },
  });
});

test("an unreadable meeting is reported with its file and line, and the rest of the file is read", async () => {
  const broken = join(folder, "broken.vtt");
  expect(await readMeetings(broken, { owner: "a@example.com" })).toEqual([
    { file: broken, index: null, line: 1, error: "This file has no cues." },
  ]);
  expect(await readMeetings(join(folder, "talk.srt"), {})).toMatchObject([
    { error: "ownerEmail must be given; use --owner to set one for all meetings" },
  ]);
  expect(await readMeetings(join(folder, "lines.jsonl"), {})).toMatchObject([
    { line: 1, input: { title: "one" } },
    {
      line: 3,
      error:
        "externalId must be a text of 1 to 256 characters; title must be a text of 1 to 1,000 characters",
    },
  ]);
});

test("a transcript with a line without a speaker is refused with its number and reason; --lenient keeps and reports it", async () => {
  const file = join(folder, "deep", "early.md");
  await writeFile(file, "We wait for Anna.\n\nAnna: Good morning.\n");
  onTestFinished(() => rm(file));
  const owner = "a@example.com";
  expect(await readMeetings(file, { owner })).toEqual([
    {
      file,
      index: null,
      line: 1,
      error: "The line comes before the first speaker. Use --lenient to keep such lines.",
    },
  ]);
  const outcomes = [];
  const transcription = {
    ...{ getTranscriber: async () => null, path: undefined },
    ...{ getDirectory: () => folder, onProgress: () => {} },
  };
  for await (const outcome of importFile(null, file, { owner, lenient: true }, transcription))
    outcomes.push(outcome);
  expect(outcomes).toEqual([
    expect.objectContaining({ file, reading: expect.objectContaining({ unassigned: 1 }) }),
    { file, unassigned: [1] },
    "valid",
  ]);
  await writeFile(file, "We wait for Anna.\n\nStill.\n\nAnna: Good morning.\n");
  expect(await readMeetings(file, { owner })).toMatchObject([
    { error: expect.stringContaining(" 1 more line has no speaker. Use --lenient") },
  ]);
  await writeFile(file, "We wait for Anna.\n\nAnna: Good morning.\n");
  expect(await readMeetings(file, { owner, lenient: true })).toMatchObject([
    { input: { transcript: [{ speakerName: "Unknown speaker", text: "We wait for Anna." }, {}] } },
  ]);
});

test("exports of other services are meetings with their own title, times, summary and tasks", async () => {
  const fixtures = join(import.meta.dirname, "../../../../../packages/transcripts/fixtures");
  const [meeting] = await readMeetings(join(fixtures, "fathom.json"), { owner: "a@example.com" });
  expect(meeting).toMatchObject({
    input: {
      title: "Turbines",
      startTime: "2026-11-05T09:30:12.000Z",
      endTime: "2026-11-05T10:32:22.000Z",
      summary: { markdown: "## Summary\nThe supplier is late." },
      tasks: [{ text: "Call the supplier", assignee: { email: "john@example.com" } }],
      transcript: [{ speakerName: "Sarah Chen", speakerEmail: "sarah@example.com" }, {}],
      calendarEvent: { attendees: [{ email: "sarah@example.com", organizer: true }] },
    },
  });
  for (const file of (await findFiles([join(fixtures, "*.{txt,md,vtt,srt}")])).files) {
    const meetings = await readMeetings(file, { owner: "a@example.com" });
    expect(meetings, file).toEqual([expect.objectContaining({ input: expect.anything() })]);
  }
});

test("what was read says where the start comes from, who speaks and what was assumed", async () => {
  const file = join(folder, "call.txt");
  await writeFile(file, Buffer.from("Priya Nair: Gr\xfc\xdfe.\nNoor: Hi.\n", "latin1"));
  onTestFinished(() => rm(file));
  const [meeting] = await readMeetings(file, { owner: "a@example.com", notSpeakers: ["Noor"] });
  expect(meeting).toMatchObject({
    assumed: ["title", "startTime", "startPrecision", "endTime"],
    reading: {
      title: "call",
      startSource: "fileTime",
      encoding: "Windows-1252",
      speakers: [{ name: "Priya Nair", turns: 1 }],
      firstTurns: [{ speaker: "Priya Nair", text: "Grüße.\nNoor: Hi." }],
    },
  });
  expect(await readMeetings(file, { owner: "a@example.com", timeZone: "Mars/Base" })).toMatchObject([
    { error: expect.stringContaining("time zone is unknown") },
  ]);
});

test("an archive is imported file by file; a bad file in it is reported by its name", async () => {
  const file = join(folder, "calls.zip");
  const archive = zipSync({
    "one/call.txt": Buffer.from("Priya Nair: Hello.\n"),
    "two.json": Buffer.from("{"),
    "__MACOSX/one/._call.txt": Buffer.from("x"),
    "picture.png": Buffer.from("x"),
  });
  await writeFile(file, archive);
  onTestFinished(() => rm(file));
  expect(await readMeetings(file, { owner: "a@example.com" })).toMatchObject([
    { file: `${file}/one/call.txt`, input: { title: "call", transcript: [{ speakerName: "Priya Nair" }] } },
    { file: `${file}/two.json`, error: expect.stringContaining("Not valid JSON") },
    { skipped: [`${file}/picture.png`] },
  ]);
});

test("an archive that unpacks to too much is refused without unpacking it", async () => {
  const file = join(folder, "bomb.zip");
  await writeFile(file, zipSync({ "a.txt": new Uint8Array(65 * 1024 * 1024) }));
  onTestFinished(() => rm(file));
  expect(await readMeetings(file, { owner: "a@example.com" })).toMatchObject([
    { error: expect.stringContaining("more than 64 MB") },
  ]);
});
