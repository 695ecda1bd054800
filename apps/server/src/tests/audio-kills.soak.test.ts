import { needs } from "@minutes/testing";
import { describe, test } from "vitest";
import { killDuringUploads } from "../testing/audio-kills.js";
import { killDuringImports } from "../testing/import-kills.js";
import { killDuringLongRecordings } from "../testing/long-audio-kills.js";

describe("after kill -9", needs("embedded"), () => {
  test("uploads continue and transcriptions start again, 25 times each: one meeting and one charge each", async () => {
    await killDuringUploads(25);
  }, 3_600_000);
});

describe(
  "after kill -9 while long recordings are transcribed",
  needs("embedded", "ffmpeg", "prlimit"),
  () => {
    test("50 times at random: no finished part is transcribed or converted again; one meeting and one charge each", async () => {
      await killDuringLongRecordings(50);
    }, 3_600_000);
  },
);

describe("after kill -9 of `minutes import`", needs("embedded", "ffmpeg", "prlimit"), () => {
  test("50 times at random: no finished part is transcribed again; one meeting and one charge each, and nothing is left", async () => {
    await killDuringImports(50);
  }, 3_600_000);
});
