import { needs } from "@minutes/testing";
import { describe, expect, test } from "vitest";
import { findConverter } from "../../operations/audio/convert.js";
import { checkConverter } from "./converter.js";

const TRANSCRIBER = {
  kind: "endpoint",
  endpoint: { url: "http://127.0.0.1:9", model: "whisper-1" },
} as const;

describe("the converter", needs("ffmpeg", "prlimit"), () => {
  test("ok: it converts; warn: it is something else", async () => {
    const converter = await findConverter(process.env.PATH);
    expect(await checkConverter(TRANSCRIBER, converter)).toMatchObject([
      { name: "Conversion", status: "ok" },
    ]);
    const broken = converter && { ...converter, ffmpeg: "/bin/false" };
    expect(await checkConverter(TRANSCRIBER, broken)).toMatchObject([{ status: "warn" }]);
  });

  test("note: it is not there; nothing without a transcriber", async () => {
    expect(await checkConverter(TRANSCRIBER, null)).toMatchObject([{ status: "note" }]);
    expect(await checkConverter(null, null)).toEqual([]);
  });
});
