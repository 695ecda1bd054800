import { expect, test } from "vitest";
import { cutSpeech } from "./speech.js";

const RATE = 16_000;

/** Creates sound: lengths in seconds, and how loud it is. */
function sound(...pieces: readonly (readonly [seconds: number, level: number])[]): Buffer {
  return Buffer.concat(
    pieces.map(([seconds, level]) => {
      const samples = new Int16Array(Math.round(seconds * RATE)).map((_, at) =>
        Math.round(level * Math.sin(at / 5)),
      );
      return Buffer.from(samples.buffer);
    }),
  );
}

/** Cuts sound that comes in uneven pieces. */
async function cut(content: Buffer) {
  async function* inPieces() {
    for (let at = 0; at < content.length; at += 9_999) yield content.subarray(at, at + 9_999);
  }
  const found: { at: number; seconds: number }[] = [];
  for await (const { at, samples } of cutSpeech(inPieces()))
    found.push({ at: Math.round(at * 100) / 100, seconds: samples.length / 2 / RATE });
  return found;
}

test("a pause ends a window; what is said after it has its own times", async () => {
  expect(await cut(sound([5, 0], [3, 8_000], [4, 0], [2, 8_000], [0.5, 0], [1, 8_000], [9, 0]))).toEqual([
    { at: 4.8, seconds: 3.4 },
    { at: 11.8, seconds: 3.9 },
  ]);
});

test("long speech is cut where it is quietest, and nothing of it is lost", async () => {
  const windows = await cut(sound([20, 8_000], [0.4, 1_000], [19.6, 8_000], [20, 8_000]));
  expect(windows).toHaveLength(3);
  expect(Math.abs((windows[1]?.at ?? 0) - 20.2)).toBeLessThan(0.2);
  expect(windows.reduce((sum, { seconds }) => sum + seconds, 0)).toBeCloseTo(60, 1);
  for (const { seconds } of windows) expect(seconds).toBeLessThanOrEqual(28);
});

test("silence, noise below what can be heard and a click are nothing", async () => {
  for (const silent of [
    sound([40, 0]),
    sound([40, 40]),
    sound([9, 0], [0.05, 8_000], [9, 0]),
    Buffer.alloc(0),
  ])
    expect(await cut(silent)).toEqual([]);
});
