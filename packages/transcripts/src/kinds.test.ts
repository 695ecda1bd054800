import { describe, expect, test } from "vitest";
import {
  type ReadOptions,
  readFile,
  resolveStart,
  type Transcript,
  toSegments,
  toZone,
  UnknownFormatError,
} from "./index.js";

async function read(
  name: string,
  content: string | Uint8Array,
  options: ReadOptions = {},
): Promise<Transcript> {
  const bytes = typeof content === "string" ? Buffer.from(content) : content;
  const { meetings } = await readFile({ name, bytes }, options);
  const [one] = meetings;
  if (!one || !("transcript" in one)) throw new Error(JSON.stringify(one));
  return one.transcript;
}

/** Returns what is stored: speakers and texts. */
const listSpeech = ({ turns }: Transcript): string[] =>
  toSegments(turns).map(({ speakerName, text }) => `${speakerName} | ${text}`);

const vtt = (...cues: string[]) =>
  `WEBVTT\n\n${cues.map((text, at) => `00:00:0${at}.000 --> 00:00:0${at + 1}.000\n${text}`).join("\n\n")}\n`;

describe("labels", () => {
  test.each([
    [
      "lower case in nearly all cues",
      vtt("priya: hi", "tom: hello", "priya: bye"),
      ["priya | hi", "tom | hello", "priya | bye"],
    ],
    [
      "first names that are words, each once",
      vtt("Will: hi", "An: hello", "Or: so", "So: bye"),
      ["Will | hi", "An | hello", "Or | so", "So | bye"],
    ],
    [
      "one word among names of two",
      vtt("Priya Nair: hi", "Noor: hello", "Tom Lind: bye"),
      ["Priya Nair | hi", "Noor | hello", "Tom Lind | bye"],
    ],
    [
      "remarks at the beginning of cues",
      vtt("Priya Nair: hi", "Remember: the ratio is 3:1.", "Tom Lind: Question: at 12:30?"),
      ["Priya Nair | hi", "Priya Nair | Remember: the ratio is 3:1.", "Tom Lind | Question: at 12:30?"],
    ],
    [
      "a remark that recurs",
      vtt("Priya Nair: hi", "Note: one", "Note: two", "Tom Lind: x"),
      ["Priya Nair | hi", "Priya Nair | Note: one", "Priya Nair | Note: two", "Tom Lind | x"],
    ],
    [
      "a question that is none of an interview",
      vtt("Ann Lee: hi", "Bo Lee: ok", "and more", "Q: at 12:30?", "and more", "Ann Lee: bye"),
      [
        "Ann Lee | hi",
        "Bo Lee | ok",
        "Bo Lee | and more",
        "Bo Lee | Q: at 12:30?",
        "Bo Lee | and more",
        "Ann Lee | bye",
      ],
    ],
    [
      "questions and answers alone",
      vtt("Question: who?", "Answer: me.", "Question: when?", "Answer: now."),
      ["Question | who?", "Answer | me.", "Question | when?", "Answer | now."],
    ],
    [
      "display names with a colon",
      vtt("Room 4: Lisbon: hi", "Noor: hello", "Room 4: Lisbon: bye"),
      ["Room 4: Lisbon | hi", "Noor | hello", "Room 4: Lisbon | bye"],
    ],
    [
      "two people in a cue",
      vtt("- Priya: hi\n- Tom: hello", "Priya: bye"),
      ["Priya | hi", "Tom | hello", "Priya | bye"],
    ],
    [
      "suffixes in capitals, initials",
      vtt("JOHN SMITH JR.: HI", "J.R.R. Tolkien: hello", "MARY O'NEIL III: bye"),
      ["JOHN SMITH JR. | HI", "J.R.R. Tolkien | hello", "MARY O'NEIL III | bye"],
    ],
    [
      "numbered speakers in brackets, without a colon",
      vtt("[SPEAKER_00] hi", "(Speaker 2) hello", "[laughs] yes", "[SPEAKER_00] 12:30 then"),
      ["SPEAKER_00 | hi", "Speaker 2 | hello", "Speaker 2 | [laughs] yes", "SPEAKER_00 | 12:30 then"],
    ],
    ["a name alone in a cue", vtt("Priya:", "hi", "Tom: hello"), ["Priya | hi", "Tom | hello"]],
    [
      "marks of direction",
      vtt("\u200f\u05de\u05d9\u05db\u05dc\u200f: hi", "<v \u202aAda\u202c>hello"),
      ["\u05de\u05d9\u05db\u05dc | hi", "Ada | hello"],
    ],
  ])("%s", async (_, text, expected) => {
    expect(listSpeech(await read("a.vtt", text))).toEqual(expected);
  });

  test("the importer decides: a label is a speaker, or is speech", async () => {
    const text = vtt("Priya Nair: hi", "Remember: the ratio", "Noor: yes");
    expect(listSpeech(await read("a.vtt", text, { speakers: ["Remember"], notSpeakers: ["noor"] }))).toEqual([
      "Priya Nair | hi",
      "Remember | the ratio",
      "Remember | Noor: yes",
    ]);
  });

  test("a name that the importer knows, or that the file lists, is a speaker", async () => {
    const text = "Priya Nair: hi\nour room: hello\nPriya Nair: a\nPriya Nair: b\nand more\nand more\n";
    expect(listSpeech(await read("a.txt", text))[0]).toBe("Priya Nair | hi\nour room: hello");
    for (const [content, options] of [
      [text, { people: ["Our Room"] }],
      [`Attendees\nPriya Nair, our room\n\n${text}`, {}],
    ] as const)
      expect(listSpeech(await read("a.txt", content, options)).slice(0, 2)).toEqual([
        "Priya Nair | hi",
        "our room | hello",
      ]);
  });

  test("doubtful labels are reported with their number, whether taken as speakers or not", async () => {
    const { doubts } = await read(
      "a.vtt",
      vtt("Priya Nair: hi", "Noor: yes", "Note: one", "Note: two", "Priya Nair: x"),
    );
    expect(doubts).toEqual([
      { label: "Note", count: 2, speaker: false },
      { label: "Noor", count: 1, speaker: true },
    ]);
  });
});

describe("heads with times", () => {
  test.each([
    "## Transcript\n\n### Ann Lee 00:03\n\nhi\n\n### Bo Lee 00:09\n\nok\n",
    "### [00:03] Ann Lee\n\nhi\n\n### [00:09] Bo Lee\n\nok\n",
    "**00:03 Ann Lee:** hi\n\n**00:09 Bo Lee:** ok\n",
    "**Ann Lee 00:03**\nhi\n\n**Bo Lee - 00:09**\nok\n",
    "Ann Lee, 00:03\nhi\n\nBo Lee, 00:09\nok\n",
  ])("%j", async (text) => {
    for (const name of ["a.md", "a.txt"])
      expect((await read(name, text)).turns).toEqual([
        { speaker: "Ann Lee", text: "hi", start: 3 },
        { speaker: "Bo Lee", text: "ok", start: 9 },
      ]);
  });
});

describe("no word of captions is lost", () => {
  test.each([
    [
      "identifiers that begin like comments",
      "NOTE-1\n00:00:01.000 --> 00:00:02.000\n<v A>one\n\nSTYLE\n00:00:02.000 --> 00:00:03.000\n<v A>two\n\nREGION 2\n00:00:03.000 --> 00:00:04.000\n<v A>three",
      ["one", "two", "three"],
    ],
    [
      "an empty line within a cue",
      "00:00:01.000 --> 00:00:02.000\n<v A>one</v>\n\n<v A>two</v>\n\n00:00:02.000 --> 00:00:03.000\n<v A>three",
      ["one two", "three"],
    ],
    [
      "a number alone between empty lines",
      "1\n00:00:01.000 --> 00:00:02.000\n<v A>one</v>\n\n<v A>4711</v>\n\n4712\n\n2\n00:00:02.000 --> 00:00:03.000\n<v A>three",
      ["one 4711", "4712", "three"],
    ],
    [
      "a comment after cues",
      "00:00:01.000 --> 00:00:02.000\n<v A>one\n\nNOTE\nA: no speech\n\n00:00:02.000 --> 00:00:03.000\n<v A>two",
      ["one", "two"],
    ],
    [
      "an arrow in speech",
      "00:00:01.000 --> 00:00:02.000\n<v A>from 5 -> 6\nto a --> b",
      ["from 5 -> 6 to a --> b"],
    ],
    [
      "times that are none",
      "soon --> later\n<v A>one\n\n00:75:00.000 --> 00:00:02.000\n<v A>two\n\n-00:00:01.000 --> 00:00:02.000\n<v A>three",
      ["one", "two", "three"],
    ],
  ])("%s", async (_, cues, expected) => {
    const { turns, remarks = [] } = await read("a.vtt", `WEBVTT\n\n${cues}\n`);
    expect(turns.map(({ text }) => text)).toEqual(expected);
    expect(remarks.some((remark) => remark.includes("not valid"))).toBe(
      turns.some(({ start }) => start === undefined),
    );
  });

  test("numbers on the line of the times", async () => {
    const text =
      "1 00:00:01,000 --> 00:00:02,000\nAnn Lee: one\n2 00:00:03,000 --> 00:00:04,000\nBo Lee: two\n";
    for (const name of ["a.srt", "a.txt"])
      expect((await read(name, text)).turns).toMatchObject([
        { speaker: "Ann Lee", text: "one", start: 1 },
        { speaker: "Bo Lee", text: "two", start: 3 },
      ]);
  });

  test("text before the first cue is unassigned, with its line", async () => {
    const text = `WEBVTT\n\nWho said this?\n\n00:00:01.000 --> 00:00:02.000\n<v A>one\n`;
    expect((await read("a.vtt", text)).unassigned).toEqual([
      { line: 3, reason: "The text comes before the first cue." },
    ]);
  });

  test("character references of HTML, tags and comparison signs", async () => {
    const cue =
      "<v Sin&eacute;ad>Caf&eacute; &#x201C;ok&#8221; <i>a</i> <b and c> 1 < 2 {\\an8}&amp;lt; AT&T</v>";
    expect(listSpeech(await read("a.vtt", vtt(cue)))).toEqual([
      "Sinéad | Café “ok” a <b and c> 1 < 2 &lt; AT&T",
    ]);
  });
});

describe("encodings", () => {
  const text = "Jürgen Groß: Grüße, naïve – “ok”.\n";
  const western = Buffer.from("J\xfcrgen Gro\xdf: Gr\xfc\xdfe, na\xefve \x96 \x93ok\x94.\n", "latin1");
  test.each([
    ["UTF-8", false, Buffer.from(text)],
    ["UTF-8", false, Buffer.from(`\uFEFF${text}`)],
    ["UTF-16LE", false, Buffer.from(`\uFEFF${text}`, "utf16le")],
    ["UTF-16LE", true, Buffer.from(text, "utf16le")],
    ["UTF-16BE", true, Buffer.from(text, "utf16le").swap16()],
    ["Windows-1252", true, western],
  ])("%s, assumed: %s", async (encoding, assumed, bytes) => {
    const content = await readFile({ name: "a.txt", bytes });
    expect(content).toMatchObject({ encoding, assumed });
    expect(content.meetings).toMatchObject([
      { transcript: { turns: [{ speaker: "Jürgen Groß", text: "Grüße, naïve – “ok”." }] } },
    ]);
  });

  test("a damaged UTF-8 file stays UTF-8", async () => {
    const bytes = Buffer.concat([
      Buffer.from("王小明：你好你好你好你好你好你好\n".repeat(3)),
      Buffer.from([0xe4]),
    ]);
    expect(await readFile({ name: "a.txt", bytes })).toMatchObject({ encoding: "UTF-8", assumed: true });
  });
});

describe("starts", () => {
  const facts = { baseName: "call", modifiedAt: "2026-12-01T12:00:00.000Z" };
  test.each([
    ["Site meeting (2026-11-05 09:30 CET) - Transcript", undefined, "2026-11-05T08:30:00.000Z", null],
    ["Site meeting (2026-11-05 09:30 EST) - Transcript", undefined, "2026-11-05T14:30:00.000Z", null],
    ["Site meeting (2026-11-05 09:30 GMT+5:30)", undefined, "2026-11-05T04:00:00.000Z", null],
    ["Thu, Nov 5, 2026 9:30AM • 12:04", "Europe/Berlin", "2026-11-05T08:30:00.000Z", "Europe/Berlin"],
    ["November 5, 2026, 9:30PM", "America/New_York", "2026-11-06T02:30:00.000Z", "America/New_York"],
    ["Date: 2026-07-05 09:30 PT", undefined, "2026-07-05T16:30:00.000Z", null],
    ["5. November 2026 um 09:30 Uhr", "UTC", "2026-11-05T09:30:00.000Z", "UTC"],
    ["5 novembre 2026 09:30", "+02:00", "2026-11-05T07:30:00.000Z", "+02:00"],
    ["05.11.2026, 09:30", undefined, "2026-11-05T09:30:00.000Z", "UTC"],
    ["2026年11月5日 9:30", "Asia/Tokyo", "2026-11-05T00:30:00.000Z", "Asia/Tokyo"],
    ["Date: 2026-11-05", undefined, "2026-11-05T00:00:00.000Z", null],
    // The day of a date without a time is the same in the zone and in UTC.
    ["Date: 2026-03-29", "Europe/Berlin", "2026-03-29T00:00:00.000Z", null],
    ["Date: 2026-11-05", "Pacific/Auckland", "2026-11-05T00:00:00.000Z", null],
    ["Date: 2026-11-05", "America/New_York", "2026-11-05T05:00:00.000Z", null],
  ])("%s in %s", async (line, timeZone, startTime, zone) => {
    const transcript = await read(
      "a.txt",
      `Title: x\n${line.startsWith("Date") ? line : `Date: ${line}`}\n\nPriya Nair: hi\nTom Lind: hello\n`,
    );
    expect(resolveStart(transcript, { ...facts, timeZone })).toEqual({
      ...{ startTime, source: "file", zone },
      precision: /^Date: [\d-]+$/.test(line) ? "day" : null,
    });
  });

  test("a title with a date and a zone above the first turn", async () => {
    const transcript = await read(
      "a.txt",
      "Site meeting (2026-11-05 09:30 EST)\n\nAnn Lee: hi\nBo Lee: ok\n",
    );
    expect(transcript).toMatchObject({ title: "Site meeting", unassigned: [] });
    expect(resolveStart(transcript, facts).startTime).toBe("2026-11-05T14:30:00.000Z");
  });

  test("a date next to the time of day of each turn", async () => {
    const text = "2026-11-05 09:30:00 Priya Nair: a\n2026-11-05 09:30:10 Tom Lind: b\n";
    const transcript = await read("a.txt", text);
    expect(transcript.turns.map(({ speaker, start }) => [speaker, start])).toEqual([
      ["Priya Nair", 0],
      ["Tom Lind", 10],
    ]);
    expect(resolveStart(transcript, facts).startTime).toBe("2026-11-05T09:30:00.000Z");
  });

  test("times of day count from the first, across midnight, and complete a date", async () => {
    const text = "Date: 2026-11-05\n\n[23:59:55] Priya Nair: hi\n[00:00:05] Tom Lind: hello\n";
    const transcript = await read("a.txt", text);
    expect(transcript.turns.map(({ start }) => start)).toEqual([0, 10]);
    expect(resolveStart(transcript, facts).startTime).toBe("2026-11-05T23:59:55.000Z");
  });

  test("a file without a date has the date of its name, else its time", async () => {
    const transcript = await read("a.txt", "Priya Nair: hi\n");
    expect(resolveStart(transcript, facts)).toEqual({
      startTime: facts.modifiedAt,
      source: "fileTime",
      zone: null,
      precision: "guess",
    });
    expect(
      resolveStart(transcript, { ...facts, baseName: "Site-20261105_093000-Meeting Recording" }),
    ).toEqual({
      ...{ startTime: "2026-11-05T09:30:00.000Z", source: "fileName", zone: "UTC", precision: null },
    });
  });

  test.each([
    ["CET", "+01:00"],
    ["europe/berlin", "Europe/Berlin"],
    ["UTC-3", "-03:00"],
    ["Mars/Base", null],
  ])("zone %s", (text, zone) => {
    expect(toZone(text)).toBe(zone);
  });
});

describe("lenient: all words, known speakers and valid times are kept", () => {
  test.each([
    [
      "a.vtt",
      vtt("one", "Priya Nair: two"),
      [
        ["Unknown speaker", "one", 0],
        ["Priya Nair", "two", 1],
      ],
    ],
    [
      "a.txt",
      "[00:00:01.000 --> 00:00:03.000]  one\n[00:00:03.000 --> 00:00:05.000]  two\n",
      [
        ["Unknown speaker", "one", 1],
        ["Unknown speaker", "two", 3],
      ],
    ],
    [
      "a.txt",
      "0:03\none two\n0:09\nthree\n",
      [
        ["Unknown speaker", "one two", 3],
        ["Unknown speaker", "three", 9],
      ],
    ],
    ["a.json", '{"text":"x","segments":[{"start":1,"end":2,"text":"one"}]}', [["Unknown speaker", "one", 1]]],
  ])("%s", async (name, text, expected) => {
    const transcript = await read(name, text, { lenient: true });
    expect(transcript.unassigned).not.toEqual([]);
    expect(
      toSegments(transcript.turns).map(({ speakerName, text: said, start }) => [speakerName, said, start]),
    ).toEqual(expected);
  });
});

test.each([
  [{ words: [], segments: [{ start: 1, end: 2, text: "one", speaker: "A" }] }],
  [{ words: [], utterances: [{ start: 1000, end: 2000, text: "one", speaker: "A" }] }],
  [{ tokens: [], chunks: [{ timestamp: [1, 2], text: "one", speaker: "A" }] }],
])("an empty list of one format does not hide the speech of another: %j", async (value) => {
  expect((await read("a.json", JSON.stringify(value))).turns).toMatchObject([{ text: "one", start: 1 }]);
});

describe("custom JSON", () => {
  const turn = (speaker: string, text: string, times: object) => ({ speaker, text, ...times });

  test("with the usual names of fields; what is not stored is named", async () => {
    const value = {
      ...{ title: "Kiln review", date: "2026-05-19 10:30", attendees: [{ name: "Ada", email: "ada@x.org" }] },
      transcript: [
        turn("Ada", "Hello there.", { start: 0, end: 2.5 }),
        turn("Bo", "Hi.", { start: 3, end: 4 }),
      ],
      ...{ summary: "All well.", actionItems: ["Order clay"], sentiment: "good" },
    };
    expect(await read("a.json", JSON.stringify(value))).toMatchObject({
      ...{ title: "Kiln review", notes: "All well.", tasks: [{ text: "Order clay" }] },
      date: { year: 2026, month: 5, day: 19, seconds: 37_800, zone: null },
      event: { attendees: [{ email: "ada@x.org" }] },
      turns: [
        { speaker: "Ada", email: "ada@x.org", text: "Hello there.", start: 0, end: 2.5 },
        { speaker: "Bo", text: "Hi.", start: 3, end: 4 },
      ],
      ...{ notStored: ["sentiment"], remarks: [] },
    });
  });

  const said = "So the second kiln is ready for the winter.";
  test.each<[string, object[], object, number | undefined, string[]]>([
    ["seconds", [{ start: 61 }], {}, 61, []],
    ["seconds of a meeting with little speech", [{ start: 3_599.5 }], {}, 3_599.5, []],
    ["clock times", [{ timestamp: "1:02:03" }], {}, 3_723, []],
    ["milliseconds", [{ start: 61_000 }], {}, 61, ["Times are read as milliseconds."]],
    [
      "milliseconds, as the meeting's length shows",
      [{ start: 800 }],
      { startTime: "2026-05-19T10:00:00Z", endTime: "2026-05-19T10:00:30Z" },
      0.8,
      ["Times are read as milliseconds."],
    ],
    [
      "seconds, as the meeting's length shows",
      [{ start: 3_000 }],
      { startTime: "2026-05-19T10:00:00Z", endTime: "2026-05-19T11:00:00Z" },
      3_000,
      [],
    ],
    ["instants", [{ start: "2026-05-19T10:00:05Z" }], { startTime: "2026-05-19T10:00:00Z" }, 5, []],
    ["no times", [{}], {}, undefined, []],
  ])("times: %s", async (_, [times = {}], meeting, start, remarks) => {
    const value = { ...meeting, turns: [turn("Ada", said, times)] };
    const { turns, ...rest } = await read("a.json", JSON.stringify(value));
    expect([turns[0]?.start, rest.remarks]).toEqual([start, remarks]);
  });

  test("lines that are turns are one meeting", async () => {
    const lines = [turn("Ada", "one", { start: 1 }), turn("Bo", "two", { start: 2 })];
    const text = lines.map((line) => JSON.stringify(line)).join("\n");
    const { turns } = await read("a.jsonl", `${text}\n`);
    expect(turns.map(({ speaker, text, start }) => [speaker, text, start])).toEqual([
      ["Ada", "one", 1],
      ["Bo", "two", 2],
    ]);
    expect((await read("a.json", JSON.stringify(lines))).turns).toEqual(turns);
  });
});

describe("unknown JSON", () => {
  test.each([
    [
      { sentences: [{ index: 1 }] },
      "This JSON resembles a Fireflies transcript, but lacks sentences[].text and sentences[].speaker_name.",
    ],
    [
      { data: { transcript: { speaker_blocks: [{ words: "a" }] } } },
      "This JSON resembles a Read AI report, but lacks transcript.speaker_blocks[].speaker.",
    ],
    [{ a: 1 }, "This JSON is not a meeting in a known format"],
    [{ __proto__: null, constructor: { name: 1 }, transcript: 5 }, "This JSON"],
  ])("%j", async (value, message) => {
    const { meetings } = await readFile({ name: "a.json", bytes: Buffer.from(JSON.stringify(value)) });
    expect(meetings).toMatchObject([{ error: expect.stringContaining(message) }]);
  });

  test("times and dates that are none are left out with a remark", async () => {
    const value = { date: 1e300, sentences: [{ text: "a", speaker_name: "Ada", start_time: 1e300 }] };
    expect(await read("a.json", JSON.stringify(value))).toMatchObject({
      turns: [{ speaker: "Ada", text: "a" }],
      startTime: undefined,
      remarks: ["1 time is not valid and left out.", "The date is not valid."],
    });
  });
});

test.each(["%PDF-1.7", "{\\rtf1 a}", "<!DOCTYPE html><p>a", "PK\x03\x04 broken"])(
  "%j is refused",
  async (text) => {
    await expect(readFile({ name: "a.txt", bytes: Buffer.from(text) })).rejects.toThrow(
      text.startsWith("PK") ? "can't be read" : UnknownFormatError,
    );
    if (!text.startsWith("PK"))
      await expect(readFile({ name: "a.DOC", bytes: Buffer.from(text) })).rejects.toThrow(/^This format/);
  },
);

test.each(["a.docx", "a.vtt", "a.TXT"])("%s with other content is refused by name", async (name) => {
  await expect(readFile({ name, bytes: Buffer.from("%PDF-1.7") })).rejects.toThrow(
    `The content is not that of a .${name.slice(2).toLowerCase()} file`,
  );
});

test.each([
  ["a.srt", "1\n00:00:01,000 --> 00:00:02,000\nhi\n\n2\n00:00:03,000 --> 00:00:04,000\nok\n"],
  ["a.txt", "hi\n\nok\n"],
  [
    "a.json",
    JSON.stringify({
      segments: [
        { start: 1, end: 2, text: "hi" },
        { start: 3, end: 4, text: "ok" },
      ],
    }),
  ],
])("%s that names nobody belongs to the one speaker that the importer names", async (name, text) => {
  const { turns, unassigned } = await read(name, text, { speakers: ["Zoë"] });
  expect(turns.map((turn) => turn.speaker)).toEqual(turns.map(() => "Zoë"));
  expect(turns.map((turn) => turn.text).join(" ")).toMatch(/^hi\sok$/);
  expect(unassigned).toEqual([]);
});
