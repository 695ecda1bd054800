import { readdir, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { temporaryDir } from "@minutes/testing";
import { expect, test } from "vitest";
import { Unfinished } from "./unfinished.js";

const KEY = Buffer.alloc(32, 1);
const open = (directory: string, key = KEY) => Unfinished.open(directory, { id: "trn_call", key }, () => {});

async function* inPieces(content: Buffer) {
  for (let at = 0; at < content.length; at += 1_001) yield content.subarray(at, at + 1_001);
}

test("what was heard can be read with the recording's key, until it is forgotten", async () => {
  const directory = join(await temporaryDir(), "imports");
  await (await open(directory)).keep("answer-0", ["The kiln is hot."]);
  expect(await (await open(directory)).recall("answer-0")).toEqual(["The kiln is hot."]);
  expect(await (await open(directory, Buffer.alloc(32, 2))).recall("answer-0")).toBeNull();
  await (await open(directory)).forget();
  expect(await readdir(directory)).toEqual([]);
});

test("answers are dropped if the recording is cut otherwise than before", async () => {
  const directory = await temporaryDir();
  const first = await open(directory);
  await first.keep("converted", { parts: [1, 2] });
  await first.keep("answer-0", "hot");
  const second = await open(directory);
  expect(await second.recall("converted")).toBeNull();
  await second.keep("converted", { parts: [1, 2] });
  expect([await second.recall("converted"), await second.recall("answer-0")]).toEqual([
    { parts: [1, 2] },
    "hot",
  ]);
  const third = await open(directory);
  await third.keep("converted", { parts: [1, 3] });
  expect(await third.recall("answer-0")).toBeNull();
});

test("converted audio can be read at any place, and is in no directory", async () => {
  const directory = await temporaryDir();
  const unfinished = await open(directory);
  const audio = Buffer.from(Array.from({ length: 50_000 }, (_, at) => at % 251));
  const length = await unfinished.writeConverted(inPieces(audio));
  expect([length.received, await readdir(directory)]).toEqual([50_000, []]);
  const reader = await unfinished.openConverted();
  for (const [from, count] of [
    [0, 50_000],
    [17, 31],
    [49_990, 100],
  ] as const)
    expect((await reader.read(from, count)).equals(audio.subarray(from, from + count))).toBe(true);
  await unfinished.close();
});

test("what nobody went on with for a week is deleted, but no file of somebody else", async () => {
  const directory = await temporaryDir();
  await (await open(directory)).keep("answer-0", "hot");
  for (const name of ["0123456789abcdef.spool", "call.mp3"]) await writeFile(join(directory, name), "");
  const kept = (await readdir(directory)).toSorted();
  const daysAgo = (days: number) => new Date(Date.now() - days * 24 * 3_600_000);
  for (const name of kept) await utimes(join(directory, name), daysAgo(6), daysAgo(6));
  await open(directory);
  expect((await readdir(directory)).toSorted()).toEqual(kept);
  for (const name of kept) await utimes(join(directory, name), daysAgo(8), daysAgo(8));
  await open(directory);
  expect(await readdir(directory)).toEqual(["call.mp3"]);
});

test("where nothing can be written, short recordings are heard and long ones refused", async () => {
  const file = join(await temporaryDir(), "file");
  await writeFile(file, "");
  const unfinished = await open(join(file, "imports"));
  await unfinished.keep("answer", "hot");
  expect(await unfinished.recall("answer")).toBeNull();
  await expect(unfinished.writeConverted(inPieces(Buffer.alloc(10)))).rejects.toThrow("not a directory");
  await unfinished.forget();
});
