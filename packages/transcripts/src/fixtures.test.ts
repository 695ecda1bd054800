import { readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { readJson, readSrt, readText, readVtt, type Transcript } from "./index.js";

const folder = join(import.meta.dirname, "../fixtures");
const files = readdirSync(folder).filter((name) => !name.endsWith(".expected.json"));

describe("exports of each service give the expected turns", () => {
  test.each(files)("%s", (file) => {
    const text = readFileSync(join(folder, file), "utf8");
    const expected = JSON.parse(readFileSync(join(folder, `${file}.expected.json`), "utf8"));
    expect(plain(read(file, text))).toEqual({ unassigned: [], ...expected });
  });

  test.each(files.filter((file) => !file.endsWith(".json")))("%s with Windows line ends", (file) => {
    const text = readFileSync(join(folder, file), "utf8");
    const windows = `\uFEFF${text.replaceAll("\n", "\r\n")}`;
    expect(plain(read(file, windows))).toEqual(plain(read(file, text)));
  });
});

function read(file: string, text: string): Transcript | null {
  switch (extname(file)) {
    case ".vtt":
      return readVtt(text);
    case ".srt":
      return readSrt(text);
    case ".json":
      return readJson(JSON.parse(text));
    default:
      return readText(text);
  }
}

/** Drops undefined fields. */
const plain = (value: unknown) => JSON.parse(JSON.stringify(value));
