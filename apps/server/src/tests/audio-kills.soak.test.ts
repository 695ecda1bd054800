import { needs } from "@minutes/testing";
import { describe, test } from "vitest";
import { killDuringUploads } from "../testing/audio-kills.js";

describe("after kill -9", needs("embedded"), () => {
  test("uploads continue and transcriptions start again, 25 times each: one meeting and one charge each", async () => {
    await killDuringUploads(25);
  }, 3_600_000);
});
