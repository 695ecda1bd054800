import fc from "fast-check";
import { expect, test } from "vitest";
import { splitIntoWindows } from "./windows.js";

const wordsOf = (text: string) => text.match(/\S+/gu) ?? [];

test("a window ends with a sentence once it has 50 words, and a short rest joins the previous one", () => {
  const sentence = "one two three four five six seven eight nine ten.";
  const windows = splitIntoWindows(Array(11).fill(sentence).join(" "));
  expect(windows.map((window) => wordsOf(window).length)).toEqual([50, 60]);
  expect(windows[0]).toMatch(/ten\.$/);
});

test("every word is in one window, in order, and no window exceeds 100 words", () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom("a", "budget", "it.", "really?", "well\n", "no!"), { maxLength: 500 }),
      (words) => {
        const windows = splitIntoWindows(words.join(" "));
        expect(windows.flatMap(wordsOf)).toEqual(wordsOf(words.join(" ")));
        for (const window of windows) expect(wordsOf(window).length).toBeLessThanOrEqual(100);
      },
    ),
  );
});
