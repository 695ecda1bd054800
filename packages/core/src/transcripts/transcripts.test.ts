import { describe, expect, test } from "vitest";
import { readPlain, readSrt, readVtt, segmentsOf, writeVtt } from "./index.js";

describe("WebVTT", () => {
  test("Teams: voices, ids of cues, several voices in one cue, entities", async () => {
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
    expect(await readVtt(text.replaceAll("\n", "\r\n"))).toEqual([
      { speaker: "Müller, Anna", text: "Good morning & welcome.", start: 1, end: 4.25 },
      { speaker: "Bob", text: "Hi.", start: 60, end: 65 },
      { speaker: "Eve", text: "Hello there", start: 60, end: 65 },
    ]);
  });

  test("Zoom and Meet: the name before the text; a cue without one goes on", async () => {
    const turns = await readVtt(`WEBVTT

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
    expect(segmentsOf(turns)).toEqual([
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

  test("what can't be read is told with its line", async () => {
    await expect(readVtt("hello")).rejects.toMatchObject({ line: 1 });
    await expect(readVtt("WEBVTT\n\n00:00:05,000 --> later\nx\n")).rejects.toMatchObject({ line: 3 });
    await expect(readVtt("WEBVTT\n")).rejects.toThrow("There is no cue in this file.");
  });

  test("what is written is read the same", async () => {
    const turns = [
      { speaker: "A <b> & c", text: "1 < 2 & so on", start: 0, end: 1.5 },
      { speaker: "Bob", text: "Line one\n\nline two --> three", start: 3661.001, end: 3662 },
    ];
    expect(await readVtt(writeVtt(turns))).toEqual([
      turns[0],
      { ...turns[1], text: "Line one line two --> three" },
    ]);
  });
});

test("SRT: names, markup, commas in times", async () => {
  expect(
    await readSrt(
      "1\n00:00:01,000 --> 00:00:04,000\nAnna: Hello\n\n2\n00:00:05,000 --> 00:00:06,000\n<i>again</i>\n",
    ),
  ).toEqual([
    { speaker: "Anna", text: "Hello", start: 1, end: 4 },
    { speaker: null, text: "again", start: 5, end: 6 },
  ]);
});

describe("plain text", () => {
  test("names, continued lines, times in every usual place, our own Markdown", () => {
    const text = `# Weekly
Attendees

00:00:03
Anna Müller: Good morning.
And welcome.

[00:01:02] Bob: Hi.
Eve (1:02:03): Late.
**Dr. Who**: Bold.
Note that what follows this colon: is not said by somebody of seven words.`;
    expect(readPlain(text)).toEqual([
      { speaker: "Anna Müller", text: "Good morning.\nAnd welcome.", start: 3 },
      { speaker: "Bob", text: "Hi.", start: 62 },
      { speaker: "Eve", text: "Late.", start: 3723 },
      {
        speaker: "Dr. Who",
        text: "Bold.\nNote that what follows this colon: is not said by somebody of seven words.",
      },
    ]);
  });

  test("a file in which nobody is named", () => {
    expect(() => readPlain("just words\n")).toThrow("There is no line of the form Name: text.");
  });
});
