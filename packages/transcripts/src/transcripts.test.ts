import { describe, expect, test } from "vitest";
import {
  parseTitleAndDate,
  readJson,
  readSrt,
  readText,
  readVtt,
  toInstant,
  toSegments,
  writeSrt,
  writeVtt,
} from "./index.js";
import { withoutTitle } from "./write.js";

describe("WebVTT", () => {
  test("Teams: voices, ids of cues, several voices in one cue, entities", () => {
    const text = `\uFEFFWEBVTT

NOTE made by Teams

f1b2/3-0
00:00:01.000 --> 00:00:04.250
<v Müller, Anna>Good <b>morning</b> &amp; welcome.</v>

f1b2/4-0
00:01:00.000 --> 00:01:05.000
- <v.loud Bob>Hi.
- <v Eve>Hello
there</v>
`;
    expect(readVtt(text.replaceAll("\n", "\r\n")).turns).toEqual([
      { speaker: "Müller, Anna", text: "Good morning & welcome.", start: 1, end: 4.25 },
      { speaker: "Bob", text: "Hi.", start: 60, end: 65 },
      { speaker: "Eve", text: "Hello there", start: 60, end: 65 },
    ]);
  });

  test("Zoom and Meet: the name precedes the text; a cue without a name continues the speaker", () => {
    const { turns } = readVtt(`WEBVTT

1
00:00:16.239 --> 00:00:27.079
Anna Müller: Can you see my screen?

2
00:00:27.500 --> 00:00:28.000
It is at https://example.com: look.

3
00:00:28.000 --> 00:00:29.000
J. R. Smith: Yes.
`);
    expect(toSegments(turns)).toEqual([
      {
        speakerId: "s1",
        speakerName: "Anna Müller",
        text: "Can you see my screen?",
        start: 16.239,
        end: 27.079,
      },
      {
        speakerId: "s1",
        speakerName: "Anna Müller",
        text: "It is at https://example.com: look.",
        start: 27.5,
        end: 28,
      },
      { speakerId: "s2", speakerName: "J. R. Smith", text: "Yes.", start: 28, end: 29 },
    ]);
  });

  test("a file without cues is refused", () => {
    expect(() => readVtt("hello")).toThrow("begins with WEBVTT");
    expect(() => readVtt("WEBVTT\n")).toThrow("This file has no cues.");
  });

  test("nested tags: a hundred thousand are no problem, and each voice keeps its words", () => {
    const deep = "<c>".repeat(100_000);
    const text = `WEBVTT\n\n00:00:01.000 --> 00:00:02.000\n${deep}<v.loud Anna>Hi <v Bob>hello</v> all</v> <x & 1 < 2\n`;
    expect(readVtt(text).turns.map(({ speaker, text: said }) => [speaker, said])).toEqual([
      ["Anna", "Hi"],
      ["Bob", "hello"],
      ["Anna", "all"],
      [null, "<x & 1 < 2"],
    ]);
    expect(readVtt(text.replaceAll("<c>", "<v Anna>")).turns.at(-1)?.text).toBe("all <x & 1 < 2");
  });

  test("written transcripts read back unchanged", () => {
    const turns = [
      { speaker: "A <b> & c", text: "1 < 2 & so on", start: 0, end: 1.5 },
      {
        speaker: "Bob",
        text: "Line one\n\n\u2028\u2029\rline two --> three",
        start: 3661.001,
        end: 3662,
      },
    ];
    expect(readVtt(writeVtt(turns)).turns).toEqual([
      turns[0],
      { ...turns[1], text: "Line one line two --> three" },
    ]);
  });
});

test("written captions invent no times: a turn without one is in the cue of the turn before", () => {
  const turn = (speaker: string, start: number | null, end: number | null = null) => ({
    ...{ speaker, text: `Text of ${speaker}`, start, end },
  });
  expect(writeVtt([turn("A", null), turn("B", 1), turn("C", null), turn("D", 4), turn("E", 60, 61)])).toBe(
    `WEBVTT

00:00:01.000 --> 00:00:04.000
<v A>Text of A</v>
<v B>Text of B</v>
<v C>Text of C</v>

00:00:04.000 --> 00:01:00.000
<v D>Text of D</v>

00:01:00.000 --> 00:01:01.000
<v E>Text of E</v>
`,
  );
  expect(writeVtt([turn("A", null), turn("B", null)])).toBe(
    "WEBVTT\n\nNOTE\nThis transcript has no times, so it has no cues.\n",
  );
  expect(writeVtt([])).toBe("WEBVTT\n");
});

test("written SRT reads back unchanged, with cues only for times that are known", () => {
  const turns = [
    { speaker: "Zoë", text: "Before any time.", start: null, end: null },
    { speaker: "Ben", text: "1 < 2 & so on\n\nand on", start: 1.5, end: null },
    { speaker: "Zoë", text: "Later.", start: 3661.001, end: 3662 },
  ];
  expect(writeSrt(turns)).toBe(`1
00:00:01,500 --> 01:01:01,001
- Zoë: Before any time.
- Ben: 1 < 2 & so on and on

2
01:01:01,001 --> 01:01:02,000
Zoë: Later.
`);
  expect(readSrt(writeSrt(turns)).turns.map(({ speaker, text }) => [speaker, text])).toEqual([
    ["Zoë", "Before any time."],
    ["Ben", "1 < 2 & so on and on"],
    ["Zoë", "Later."],
  ]);
  expect(writeSrt(turns.slice(0, 1))).toBe("");
});

test("SRT: names, markup, commas in times", () => {
  expect(
    readSrt(
      "1\n00:00:01,000 --> 00:00:04,000\nAnna: Hello\n\n2\n00:00:05,000 --> 00:00:06,000\n<i>again</i>\n",
    ).turns,
  ).toEqual([
    { speaker: "Anna", text: "Hello", start: 1, end: 4 },
    { speaker: null, text: "again", start: 5, end: 6 },
  ]);
});

describe("plain text", () => {
  test("our own Markdown: a line in a turn that looks like a speaker stays text, without its escapes", () => {
    const written = "**Anna**: Hi.\n\\*\\*Boss\\*\\*: Dismiss\\_him\n\n**Ben**: C:\\_temp";
    expect(readText(written).turns).toMatchObject([
      { speaker: "Anna", text: "Hi.\n**Boss**: Dismiss_him" },
      { speaker: "Ben", text: "C:\\_temp" },
    ]);
  });

  test("Markdown of one's own: fields below the title and checkboxes are no part of the summary", () => {
    const text = (tasks: string) => `# Shop
Date: 2026-11-08 11:00
Attendees: Luca Ferri, Mia

## Summary
We discussed the shop.
Location: the harbor.
${tasks}
## Transcript
**Mia**: Hello.`;
    const notes = "## Summary\nWe discussed the shop.\nLocation: the harbor.";
    const items = "- [ ] Luca Ferri: call the supplier\n- [x] **Mia**: paint\n- [ ] Note: buy tea\n";
    for (const heading of ["## Action items", "Tasks:", "**To-dos**"])
      expect(readText(text(`\n${heading}\n${items}`))).toMatchObject({
        ...{ title: "Shop", date: { day: 8 }, notes },
        tasks: [
          { text: "call the supplier", completed: false, assignee: { name: "Luca Ferri" } },
          { text: "paint", completed: true, assignee: { name: "Mia" } },
          { text: "Note: buy tea", completed: false },
        ],
        turns: [{ speaker: "Mia", text: "Hello." }],
      });
    const mixed = readText(text(`\n## Tasks\nBy Friday:\n- [ ] paint\n\n## Ideas\n- [ ] a boat\n`));
    expect(mixed).toMatchObject({
      notes: `${notes}\n\n## Tasks\nBy Friday:\n\n## Ideas\n- [ ] a boat`,
      tasks: [{ text: "paint" }],
    });
    expect(readText(text("")).tasks).toBeUndefined();
  });

  test.each([
    ["**Luca Ferri:** Hi.\n\n**Mia:** Hello.", "## Action items", "## Summary"],
    ["Luca Ferri: Hi.\nMia: Hello.", "Tasks:", "Summary"],
    ["Luca Ferri (0:01)\nHi.\n\nMia (0:02)\nHello.", "Next steps", "Summary:"],
    ["- Luca Ferri: Hi.\n- Mia: Hello.", "---\n\n## To-dos", "**Summary**"],
  ])("notes below a transcript belong to nobody's speech: %j, %j, %j", (speech, heading, next) => {
    const read = (notes: string) => readText(`${speech}\n\n${notes}\n`);
    const { turns } = read("");
    const items = "- [ ] Luca Ferri: call the supplier\n- [x] paint\n";
    expect(read(`${heading}\n${items}\n${next}\nWe opened.`)).toMatchObject({
      turns: turns.map(({ text, speaker }) => ({ text, speaker })),
      notes: `${next}\nWe opened.`,
      tasks: [
        { text: "call the supplier", assignee: { name: "Luca Ferri" } },
        { text: "paint", completed: true },
      ],
    });
    // Speech goes on below the words.
    expect(read(`${heading}\n\n${speech}`).turns).toHaveLength(2 * turns.length);
  });

  test("what stands below a heading Transcript is no closing note, and a said word alone is no heading", () => {
    const above =
      "# Weekly\nAnna: order the steel\nBen: call the port\nMia: paint the hall\n\n## Summary\nWe opened.\n";
    const speech = "Anna (0:01)\nHello everyone.\n\nBen (0:05)\nOverview";
    expect(readText(`${above}\n## Transcript\n${speech}\n`).turns).toMatchObject([
      { speaker: "Anna", text: "Hello everyone." },
      { speaker: "Ben", text: "Overview" },
    ]);
    expect(readText(`${speech}\n\nDecisions\n\nare hard.`).turns[1]?.text).toContain("are hard.");
  });

  test("checkboxes above a transcript aren't its first turns", () => {
    const text = "Shop\n2026-11-08\n\nTasks\n- [ ] Mia: paint\n\nTranscript\nMia: Hello.\nLuca: Hi.\n";
    expect(readText(text)).toMatchObject({
      ...{ title: "Shop", turns: [{ text: "Hello." }, { text: "Hi." }] },
      tasks: [{ text: "paint", assignee: { name: "Mia" } }],
    });
  });

  test("names, continued lines, times in all common places, our own Markdown", () => {
    const text = `# Weekly
Attendees

00:00:03
Anna Müller: Good morning.
And welcome.

[00:01:02] Bob: Hi.
Eve (1:02:03): Late.
**Dr. Who**: Bold.
Note that what follows this colon: is not said by somebody of seven words.`;
    expect(readText(text).turns).toEqual([
      { speaker: "Anna Müller", text: "Good morning.\nAnd welcome.", start: 3 },
      { speaker: "Bob", text: "Hi.", start: 62 },
      { speaker: "Eve", text: "Late.", start: 3723 },
      {
        speaker: "Dr. Who",
        text: "Bold.\nNote that what follows this colon: is not said by somebody of seven words.",
      },
    ]);
  });

  test("a file without speakers is refused, or kept without a speaker", () => {
    expect(() => readText("just words\n")).toThrow("No line names a speaker.");
    expect(readText("just words\n\nand more", { lenient: true })).toMatchObject({
      turns: [{ speaker: "Unknown speaker", text: "just words\nand more" }],
      unassigned: [{ line: 1 }, { line: 3 }],
    });
  });

  test("a line before the first speaker is unassigned, with its number and reason", () => {
    expect(readText("We waited for Anna.\n\nAnna: Good morning.\n")).toMatchObject({
      turns: [{ speaker: "Unknown speaker", text: "We waited for Anna." }, { speaker: "Anna" }],
      unassigned: [{ line: 1, reason: "The line comes before the first speaker." }],
    });
  });

  test("a sentence with a colon is speech; a name that occurs once is a speaker", () => {
    const text =
      "Anna: Let me say it.\nMy point is this: we lose.\nRemember: Monday.\nBob: Yes.\nAnna: Fine.\n";
    expect(readText(text).turns.map(({ speaker }) => speaker)).toEqual(["Anna", "Bob", "Anna"]);
  });
});

test("Unicode line and paragraph separators end a line", () => {
  expect(readText("Anna: a\u2028Bob: b\u2029Anna: c").turns.map(({ text }) => text)).toEqual(["a", "b", "c"]);
});

test("JSON: a day that does not exist does not become another one", () => {
  const sentences = [{ text: "a", speaker_name: "Anna" }];
  const read = (date: string) => readJson({ date, sentences }).meetings;
  expect(read("2026-02-28T10:00:00Z")).toMatchObject([
    { transcript: { startTime: "2026-02-28T10:00:00.000Z" } },
  ]);
  expect(read("2026-02-31T10:00:00Z")).toMatchObject([
    { transcript: { startTime: undefined, remarks: ["The date is not valid."] } },
  ]);
});

describe("titles and starts from names", () => {
  test.each([
    ["GMT20261105-093012_Recording", undefined, "2026-11-05T09:30:12.000Z"],
    ["GMT20261105-093012_Recording_1920x1080", undefined, "2026-11-05T09:30:12.000Z"],
    ["Weekly sync - 2026_11_10 09_28 GMT - Transcript", "Weekly sync", "2026-11-10T09:28:00.000Z"],
    ["Weekly sync (2026-11-10 09:28 GMT+1) - Transcript", "Weekly sync", "2026-11-10T08:28:00.000Z"],
    ["Turbines-20261105_093012-Meeting Recording", "Turbines", "2026-11-05T09:30:12.000Z"],
    ["2025-03-14 09.30 Weekly", "Weekly", "2025-03-14T09:30:00.000Z"],
    ["2025-01-06 notes", "notes", "2025-01-06T00:00:00.000Z"],
    ["Hiring: notes of 2026-11-24", "Hiring: notes", "2026-11-24T00:00:00.000Z"],
    ["Minutes of 2026-11-24, board", "Minutes , board", "2026-11-24T00:00:00.000Z"],
    ["board_meeting_otter_ai", "board meeting", undefined],
    ["Anna - Bob (1)", "Anna - Bob", undefined],
    ["2025-02-30 Weekly", "2025-02-30 Weekly", undefined],
    ["Invoice 20259999", "Invoice 20259999", undefined],
    ["meeting_saved_closed_caption", undefined, undefined],
  ])("%s", (name, title, startTime) => {
    const read = parseTitleAndDate(name);
    expect([read.title, read.date && toInstant(read.date, "UTC")]).toEqual([title, startTime]);
  });
});

describe("a summary below its meeting's title", () => {
  const title = "Incident review: the night without alarms";
  test.each([
    ["# Incident review\n\n**4 hours**", "**4 hours**"],
    ["## Incident Review: the night without alarms!\n- One", "- One"],
    ["# Incident review", ""],
    ["# Incident\n", ""],
  ])("%j is written without the heading that repeats it", (markdown, written) => {
    expect(withoutTitle(markdown, title)).toBe(written);
  });
  test.each([
    "# Decisions\n\n- One",
    "# Incident review, part two\n- One",
    "# Inc\n- One",
    "Incident review\n- One",
    "#Incident review\n",
    "",
  ])("%j stays as it is", (markdown) => expect(withoutTitle(markdown, title)).toBe(markdown));
});
