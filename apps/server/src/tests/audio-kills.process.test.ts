import { needs } from "@minutes/testing";
import { describe, test } from "vitest";
import { killDuringUploads } from "../testing/audio-kills.js";

describe("after kill -9", needs("embedded"), () => {
  test("an upload continues at its last durable byte, and a transcription starts again: one meeting, one charge", async () => {
    await killDuringUploads(1);
  }, 300_000);
});
