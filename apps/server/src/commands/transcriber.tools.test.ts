import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { schema } from "@minutes/db";
import { needs } from "@minutes/testing";
import { describe, expect, test } from "vitest";
import { WHISPER_BASE } from "../operations/transcriber/catalogue.js";
import { runHere as minutes, minutesJson } from "../testing/installation.js";
import { OWNER, openForTest } from "../testing/meeting-files.js";
import { temporaryDir } from "../testing/process.js";
import { writeInstalledModel } from "../testing/speech-model.js";
import { createWav } from "../testing/transcriber.js";

describe("minutes transcriber", needs("embedded", "ffmpeg", "prlimit"), () => {
  test("an installed model transcribes imports unless TRANSCRIBER_URL is set, until it is removed", async () => {
    const { DATA_DIR, db } = await openForTest();
    const settings = { DATA_DIR, PATH: process.env.PATH ?? "" };
    await minutesJson(["users", "create", OWNER], settings);
    const show = async (more = {}) =>
      (await minutesJson<{ used: object | null }>(["transcriber", "show"], { ...settings, ...more })).used;
    expect(await show()).toBeNull();
    await writeInstalledModel(DATA_DIR, WHISPER_BASE);
    expect(await show()).toEqual({ kind: "local", model: "whisper-base", speed: 5 });
    const endpoint = { TRANSCRIBER_URL: "http://127.0.0.1:9", TRANSCRIBER_MODEL: "whisper-1" };
    expect(await show(endpoint)).toEqual({ kind: "endpoint", model: "whisper-1" });

    const file = join(await temporaryDir(), "call.wav");
    await writeFile(file, createWav(4));
    const imported = await minutes(["import", file, "--owner", OWNER], settings);
    expect([imported.code, imported.stdout]).toEqual([0, "1 imported, 0 already there, 0 failed\n"]);
    expect(await db.select({ text: schema.transcriptSegments.text }).from(schema.transcriptSegments)).toEqual(
      [{ text: expect.stringMatching(/^4.* s, language 6/) }],
    );

    expect((await minutes(["transcriber", "remove"], settings)).code).toBe(0);
    expect(await show()).toBeNull();
    const unknown = await minutes(["transcriber", "use", "whisper-huge"], settings);
    expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining("Available: whisper-base.")]);
  });
});
