import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { temporaryDir } from "@minutes/testing";
import { describe, expect, test } from "vitest";
import { type AudioFile, AudioFiles, DamagedAudioError, generateFileKey } from "./audio-files.js";

const SECRET = "what was said about the turbines ";
const AUDIO = Buffer.from(SECRET.repeat(20_000));

async function store() {
  const files = new AudioFiles(join(await temporaryDir(), "audio"));
  await files.prepare();
  const empty: AudioFile = { id: "trn_a", key: generateFileKey(), received: 0, stored: 0 };
  const half = { ...empty, ...(await files.append(empty, AUDIO.subarray(0, 300_001))) };
  const whole: AudioFile = { ...half, ...(await files.append(half, AUDIO.subarray(300_001))) };
  return { files, half, whole, path: join(files.directory, "trn_a.audio") };
}

describe("audio on disk", () => {
  test("is read as it was written, and can't be read without its key, under another ID or by other users", async () => {
    const { files, whole, path } = await store();
    expect((await files.read(whole)).equals(AUDIO)).toBe(true);
    expect((await readFile(path)).includes(SECRET)).toBe(false);
    expect((await stat(path)).mode & 0o077).toBe(0);
    await expect(files.read({ ...whole, key: generateFileKey() })).rejects.toThrow(DamagedAudioError);
    await writeFile(join(files.directory, "trn_b.audio"), await readFile(path));
    await expect(files.read({ ...whole, id: "trn_b" })).rejects.toThrow(DamagedAudioError);
  });

  test("what a killed process wrote behind the durable length is overwritten", async () => {
    const { files, half, whole, path } = await store();
    expect((await files.read(half)).equals(AUDIO.subarray(0, 300_001))).toBe(true);
    const other = { ...half, ...(await files.append(half, Buffer.from("other"))) };
    expect((await files.read(other)).subarray(300_001).toString()).toBe("other");
    expect((await stat(path)).size).toBe(whole.stored);
  });

  test("a change of any record, its order or its length is noticed", async () => {
    const { files, whole, path } = await store();
    const content = await readFile(path);
    const second = 32 + 256 * 1024;
    for (const at of [0, 10, 20, 1_000, second, second + 40, content.length - 1]) {
      const changed = Buffer.from(content);
      changed[at] = (changed[at] ?? 0) ^ 1;
      await writeFile(path, changed);
      await expect(files.read(whole), `byte ${at}`).rejects.toThrow(DamagedAudioError);
    }
    for (const changed of [
      content.subarray(0, -1),
      content.subarray(second),
      Buffer.concat([content.subarray(0, second), content.subarray(0, second), content.subarray(2 * second)]),
      Buffer.alloc(0),
    ]) {
      await writeFile(path, changed);
      await expect(files.read(whole)).rejects.toThrow(DamagedAudioError);
    }
  });

  test("is read in parts, forward and back, across records of any length", async () => {
    const { files, whole } = await store();
    const reader = await files.open(whole);
    for (const [from, length] of [
      [0, 1],
      [262_143, 2],
      [300_000, 300_000],
      [5, 262_144],
      [AUDIO.length - 3, 100],
      [AUDIO.length, 1],
    ] as const)
      expect((await reader.read(from, length)).equals(AUDIO.subarray(from, from + length))).toBe(true);
    const streamed: Buffer[] = [];
    for await (const part of reader.stream(7)) streamed.push(part);
    expect(Buffer.concat(streamed).equals(AUDIO.subarray(7))).toBe(true);
    await reader.close();
  });
});

describe("a result beside the audio", () => {
  test("is kept as a whole, encrypted, under its name and ID, and deleted with the audio", async () => {
    const { files, whole } = await store();
    expect(await files.recall(whole, "answer")).toBeNull();
    await files.keep(whole, "answer", Buffer.from(SECRET));
    await files.keep(whole, "answer", Buffer.from(SECRET));
    expect((await files.recall(whole, "answer"))?.toString()).toBe(SECRET);
    const path = join(files.directory, "trn_a.answer.kept");
    const content = await readFile(path);
    expect([content.includes(SECRET), (await stat(path)).mode & 0o077]).toEqual([false, 0]);
    await writeFile(join(files.directory, "trn_b.answer.kept"), content);
    await writeFile(join(files.directory, "trn_a.other.kept"), content);
    await writeFile(path, content.subarray(0, -1));
    expect(await files.recall(whole, "answer")).toBeNull();
    expect(await files.recall(whole, "other")).toBeNull();
    expect(await files.recall({ ...whole, id: "trn_b" }, "answer")).toBeNull();
    await writeFile(join(files.directory, "trn_a.answer.09af31.new"), content);
    await writeFile(join(files.directory, "notes.txt"), "of somebody else");
    expect((await files.list()).sort()).toEqual(["trn_a", "trn_b"]);
    await files.remove("trn_a");
    await files.remove("trn_b");
    expect(await readdir(files.directory)).toEqual(["notes.txt"]);
  });
});
