import { readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { readFile, resolveStart, type Transcript } from "./index.js";

const folder = join(import.meta.dirname, "../fixtures");
const files = readdirSync(folder).filter((name) => !name.endsWith(".expected.json"));

describe("exports of each service give the expected meetings", () => {
  test.each(files)("%s", async (file) => {
    const bytes = readFileSync(join(folder, file));
    const expected = JSON.parse(readFileSync(join(folder, `${file}.expected.json`), "utf8"));
    expect(await describeMeetings(file, bytes)).toEqual(expected);
  });

  test.each(files.filter((file) => ![".json", ".docx"].includes(extname(file))))(
    "%s with Windows line ends, as UTF-16 and with a byte order mark",
    async (file) => {
      const text = readFileSync(join(folder, file), "utf8");
      const windows = `\uFEFF${text.replaceAll("\n", "\r\n")}`;
      const expected = await describeMeetings(file, Buffer.from(text));
      for (const bytes of [Buffer.from(windows), Buffer.from(windows, "utf16le")])
        expect(await describeMeetings(file, bytes)).toEqual(expected);
    },
  );
});

/** Reads the meetings of a file, without empty fields; of a single meeting, only it. */
async function describeMeetings(name: string, bytes: Uint8Array): Promise<unknown> {
  const { meetings } = await readFile({ name, bytes });
  const read = meetings.map((one) => ("transcript" in one ? describeTranscript(one.transcript) : one));
  return meetings.length === 1 ? read[0] : read;
}

function describeTranscript({ date: _, firstClock: __, ...transcript }: Transcript): unknown {
  const source = { baseName: "x", modifiedAt: "" };
  const startTime = resolveStart({ ...transcript, date: _, firstClock: __ }, source).startTime;
  const fields = Object.entries({ ...transcript, startTime }).filter(
    ([, value]) => value !== "" && !(Array.isArray(value) && value.length === 0),
  );
  return JSON.parse(JSON.stringify(Object.fromEntries(fields)));
}
