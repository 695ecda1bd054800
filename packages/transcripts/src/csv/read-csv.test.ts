import { describe, expect, test } from "vitest";
import { readFile, type Transcript, toSegments } from "../index.js";

async function read(content: string, name = "call.csv"): Promise<Transcript> {
  const { meetings } = await readFile({ name, bytes: Buffer.from(content) });
  const [one] = meetings;
  if (!one || !("transcript" in one)) throw new Error(JSON.stringify(one));
  return one.transcript;
}

const listSpeech = ({ turns }: Transcript) =>
  toSegments(turns).map(({ speakerName, text }) => `${speakerName} | ${text}`);

describe("columns and cells", () => {
  test.each([
    [
      "commas, quotes and a line end in quotes",
      'speaker,text\r\nAnn,"a ""b"", c\r\nd"\r\nBo,e\r\n',
      "call.csv",
    ],
    [
      "semicolons after Excel's first line",
      'sep=;\nText;Speaker Name\n"a ""b"", c\nd";Ann\ne;Bo',
      "call.csv",
    ],
    [
      "tabs, blank lines and a name of its own line",
      'Speaker\tSentence\n\nAnn\t\n\t"a ""b"", c d"\nBo\te\n',
      "call.tsv",
    ],
    ["bars, and labels in the text", '#|Content\n1|Ann: a "b", c d\n2|Bo: e\n', "call.csv"],
  ])("%s", async (_, content, name) => {
    expect(listSpeech(await read(content, name))).toEqual(['Ann | a "b", c d', "Bo | e"]);
  });

  test.each([
    ["83.5", "start", 83.5],
    ["83,5", "Start (s)", 83.5],
    ["83500", "start_ms", 83.5],
    ["1:23.500", "Timecode In", 83.5],
    ["00:01:23,500", "Start Time", 83.5],
    ["00;01;23;12", "in", 83],
    ["1m 23.5s", "timestamp", 83.5],
    ["83500 ms", "time", 83.5],
    ["00:01:23.500 --> 00:01:25", "Time", 83.5],
  ])("a time written as %s below %s", async (cell, column, start) => {
    const { turns } = await read(`${column}\tspeaker\ttext\n${cell}\tAnn\ta\n`);
    expect(turns).toMatchObject([{ speaker: "Ann", text: "a", start }]);
  });

  test("what was assumed or left out is said: numbers without a unit, times that don't exist, other columns", async () => {
    const bare = await read("start,end,speaker,text,Mood\n5,7,Ann,a,calm\n12,15,Bo,b,calm\n");
    expect(bare.turns.map(({ start, end }) => [start, end])).toEqual([
      [5, 7],
      [12, 15],
    ]);
    expect(bare).toMatchObject({
      remarks: ["Times without a unit were read as seconds."],
      notStored: ["Mood"],
    });
    const wrong = await read("start,speaker,text\n00:75:10,Ann,a\n,Bo,b\n");
    expect(wrong.remarks).toEqual(["1 time is not valid and left out."]);
    expect((await read("speaker,text\nAnn,a\n")).remarks).toEqual([]);
  });
});

test.each([
  ["Name,Email\nAnn,a@x.example\n", 1, "The first line names no column for the text."],
  ["Ann,Good morning\n", 1, "The first line names no column for the text."],
  ["", 1, "The first line names no column for the text."],
  ["speaker,text\n", 1, "This file has a header and no rows."],
  ["speaker,text,Text\nAnn,a,b\n", 1, "Two columns can be the text: text and Text."],
  [
    "timecode,time,text\n1,2,a\n",
    1,
    "Two columns can be the start: timecode and time. Name only one of them start.",
  ],
  ["speaker,text\nAnn,a\nBo,well, yes\n", 3, "Cells: 2 in the header, 3 in this row."],
  ["speaker,text\nAnn,a\nBo\n", 3, "Cells: 2 in the header, 1 in this row."],
  ['speaker,text\nAnn,"a\nb\n', 2, "The quote that begins here is not closed."],
  ['speaker,text\nAnn,"a" b\n', 2, "Text follows a closing quote."],
])("refused with its line and what to do: %j", async (content, line, message) => {
  await expect(read(content)).rejects.toMatchObject({ line, message: expect.stringContaining(message) });
});
