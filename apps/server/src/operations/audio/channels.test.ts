import { expect, test } from "vitest";
import { compareChannels } from "./channels.js";

const RATE = 4_000;

/** Creates a WAV file with two channels: lengths in seconds, and how loud each is. */
async function* sound(...pieces: readonly (readonly [seconds: number, left: number, right: number])[]) {
  const header = Buffer.alloc(44);
  header.writeUInt16LE(2, 22);
  yield header;
  for (const [seconds, ...levels] of pieces) {
    const samples = new Int16Array(2 * seconds * RATE).map((_, at) =>
      Math.round((levels[at % 2] ?? 0) * Math.sin(at / 7)),
    );
    const bytes = Buffer.from(samples.buffer);
    for (let at = 0; at < bytes.length; at += 999) yield bytes.subarray(at, at + 999);
  }
}

const areApart = async (wav: AsyncIterable<Uint8Array>) => (await compareChannels(wav)).isApart;

test("speakers are apart if one channel is silent while the other one is heard", async () => {
  expect(await areApart(sound([4, 8_000, 0], [9, 0, 0], [4, 100, 5_000]))).toBe(true);
  expect(await areApart(sound([4, 8_000, 0], [1, 8_000, 6_000], [4, 0, 8_000]))).toBe(true);
});

test("they are not in silence, one voice, a channel without a voice, or one room", async () => {
  for (const together of [
    sound([9, 0, 0]),
    sound([9, 8_000, 8_000]),
    sound([9, 8_000, 0]),
    sound([5, 8_000, 5_000], [5, 4_000, 8_000]),
    sound([60, 8_000, 0], [1, 0, 8_000]),
  ])
    expect(await areApart(together)).toBe(false);
});

test("nothing is heard in silence, and something in a whisper in one channel", async () => {
  const isSilent = async (wav: AsyncIterable<Uint8Array>) => (await compareChannels(wav)).isSilent;
  expect(await isSilent(sound([9, 0, 4]))).toBe(true);
  expect(await isSilent(sound([9, 0, 0], [1, 0, 40]))).toBe(false);
  expect(await isSilent(sound())).toBe(false);
});
