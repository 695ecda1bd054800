import { needs } from "@minutes/testing";
import { describe, test } from "vitest";
import { killDuringLongRecordings } from "../testing/long-audio-kills.js";

describe(
  "after kill -9 while a long recording is transcribed",
  needs("embedded", "ffmpeg", "prlimit"),
  () => {
    test("twice at random: no finished part is transcribed or converted again; one meeting and one charge each", async () => {
      await killDuringLongRecordings(2);
    }, 600_000);
  },
);
