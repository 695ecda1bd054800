import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ApiError } from "@minutes/core";
import { temporaryDir } from "@minutes/testing";
import { expect, onTestFinished, test } from "vitest";
import { createWav } from "../../testing/transcriber.js";
import { importAudio } from "./import-audio.js";
import { openRecording } from "./open-recording.js";
import type { ImportTarget, Outcome } from "./outcome.js";

test("what was heard is kept until the meeting is stored, so a repeat after a fault of the server costs nothing", async () => {
  const directory = await temporaryDir();
  const path = join(directory, "call.wav");
  await writeFile(path, createWav(0.2));
  const recording = await openRecording(path);
  if (!recording) throw new Error("no recording");
  onTestFinished(recording.close);
  let heard = 0;
  const transcribe = async () => {
    heard++;
    return [{ start: 0, end: 0.2, text: "The kiln is hot.", speaker: null }];
  };
  const importInto = async (importMeeting: ImportTarget["importMeeting"], isNeeded = true) => {
    const target: ImportTarget = {
      importMeeting,
      isNeeded: async () => isNeeded,
      getVocabulary: async () => ({ personal: [], team: [] }),
      restoreRecord: async () => ({ created: false }),
    };
    const transcription = {
      getTranscriber: async () => ({ transcribe, maxBytes: 1_000_000, stop: () => {} }),
      path: undefined,
      getDirectory: () => join(directory, "imports"),
      onProgress: () => {},
    };
    const options = { owner: "ana@example.com", share: true };
    const outcomes: Outcome[] = [];
    for await (const outcome of importAudio(target, recording, options, transcription, {
      replace: "",
      restore: "",
    }))
      outcomes.push(outcome);
    return outcomes;
  };
  const fail = async () => {
    throw new ApiError("SERVICE_UNAVAILABLE", "The server is stopping.");
  };
  expect(await importInto(fail)).toContainEqual(
    expect.objectContaining({ error: "The server is stopping.", passes: true }),
  );
  expect(await importInto(async () => ({ created: true }))).toContain("created");
  expect(heard).toBe(1);
  expect(await importInto(async () => ({ created: true }))).toContain("created");
  expect(heard).toBe(2);
  // Importing again with --share shares it with speakers confirmed since.
  const calls: unknown[] = [];
  const answer = { created: false, sharedWith: ["ben@example.com"], readers: [] };
  const again = await importInto(async ({ share, ...one }) => {
    calls.push([share, "replace" in one]);
    return answer;
  }, false);
  expect([calls, heard]).toEqual([[[true, false]], 2]);
  expect(again).toContainEqual({ sharedWith: ["ben@example.com"], readers: [] });
});
