import { needs, temporaryDir } from "@minutes/testing";
import { describe, expect, onTestFinished, test } from "vitest";
import { createWav } from "../../testing/index.js";
import { writeSpeechRuntime } from "../../testing/speech-model.js";
import { findConverter } from "../audio/convert.js";
import { WHISPER_BASE } from "./catalogue.js";
import { createLocalTranscriber, type LocalTranscriberOptions } from "./local-transcriber.js";

/** Creates a transcriber with a runtime that needs no model, until the test ends. */
async function create(changes: Partial<LocalTranscriberOptions> = {}) {
  const directory = await temporaryDir();
  await writeSpeechRuntime(directory);
  const converter = await findConverter(process.env.PATH);
  if (!converter) throw new Error("no converter");
  const transcriber = createLocalTranscriber({ model: WHISPER_BASE, directory, converter, ...changes });
  onTestFinished(transcriber.stop);
  const transcribe = (
    bytes: Uint8Array,
    { extension = "wav", term = "", signal = new AbortController().signal } = {},
  ) => transcriber.transcribe({ bytes, extension, vocabulary: { personal: [term], team: [] } }, signal);
  return { ...transcriber, transcribe };
}

describe("a transcriber on this machine", needs("ffmpeg", "prlimit"), () => {
  test("hears a recording in the language it begins with, with the vocabulary and without secrets", async () => {
    process.env.MINUTES_TEST_SECRET = "secret";
    onTestFinished(() => void delete process.env.MINUTES_TEST_SECRET);
    const { transcribe } = await create();
    const wav = createWav(9).fill(0, 44 + 16_000 * 3, 44 + 16_000 * 6);
    const segments = await transcribe(wav, { term: "Pennyfrost" });
    expect(segments.map(({ text }) => text)).toEqual([
      expect.stringMatching(/^3\.\d+ s, language 6, Pennyfrost$/),
      expect.stringMatching(/^3\.\d+ s, language 6, Pennyfrost$/),
    ]);
    expect(segments[1]?.start).toBeCloseTo(5.8, 1);
    expect(segments[1]?.end).toBeCloseTo(9, 1);
    expect(await transcribe(createWav(3).fill(0, 44))).toEqual([]);
  });

  test("recordings wait for each other, and for a new process after the idle time", async () => {
    const { transcribe } = await create({ idle: 1 });
    const heard = await Promise.all([transcribe(createWav(1)), transcribe(createWav(2))]);
    expect(heard.map(([one]) => one?.text.split(",")[0])).toEqual(["1 s", "2 s"]);
    expect(await transcribe(createWav(1))).toHaveLength(1);
  });

  test.each(["fail", "die"])(
    "%s: a failure about the service, without what was said; then it works again",
    async (term) => {
      const { transcribe } = await create();
      await expect(transcribe(createWav(1), { term })).rejects.toMatchObject({
        name: "TranscriberError",
        about: "service",
        message: expect.stringMatching(/^The local transcriber failed\. /),
      });
      expect(await transcribe(createWav(1))).toHaveLength(1);
    },
  );

  test("is ended with its job, and when it takes too long", async () => {
    const { transcribe } = await create({ timeout: 3_000 });
    await expect(transcribe(createWav(1), { term: "hang" })).rejects.toMatchObject({ about: "time" });
    const stop = new AbortController();
    const hanging = transcribe(createWav(1), { term: "hang", signal: stop.signal });
    stop.abort(new Error("canceled"));
    await expect(hanging).rejects.toThrow("canceled");
    await expect(transcribe(createWav(1), { signal: stop.signal })).rejects.toThrow("canceled");
  });

  test("a recording that can't be decoded is refused", async () => {
    const { transcribe } = await create();
    await expect(transcribe(Buffer.alloc(9_999))).rejects.toMatchObject({ about: "recording" });
  });
});
