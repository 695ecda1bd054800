import { finish } from "@minutes/testing";
import { expect, test } from "vitest";
import { splitIntoPages } from "./transcript.js";

test("pages of a transcript end between turns, and joined they are the transcript", () => {
  const turns = Array.from({ length: 50 }, (_, n) => `**Speaker ${n}**: ${"word ".repeat(n)}😀ж\n"quoted"`);
  const transcript = turns.join("\n\n");
  for (const bytes of [1, 2, 37, 200, 10_000]) {
    const pages = finish(splitIntoPages(transcript, bytes));
    expect(pages.join("")).toBe(transcript);
    expect(pages.every((page) => page.isWellFormed())).toBe(true);
    // A single character can be longer than the page.
    const sizes = pages
      .filter((page) => [...page].length > 1)
      .map((page) => Buffer.byteLength(JSON.stringify(page)) - 2);
    expect(Math.max(0, ...sizes)).toBeLessThanOrEqual(bytes);
  }
  expect(
    finish(splitIntoPages(transcript, 400))
      .slice(0, -1)
      .every((page) => page.endsWith("\n\n")),
  ).toBe(true);
  expect(finish(splitIntoPages(""))).toEqual([""]);
});

test("a long transcript is split in steps of 20 pages", () => {
  const steps = splitIntoPages("word ".repeat(100_000), 1_000);
  let count = 0;
  for (const _ of steps) count++;
  expect(count).toBe(500 / 20);
});
