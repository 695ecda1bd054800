import { finish } from "@minutes/testing";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { chunkTranscript, type SpokenTurn } from "./chunk.js";

const words = (text: string) => text.match(/\S+/g) ?? [];
const sentence = (length: number, word = "word") => `${`${word} `.repeat(length - 1)}end.`;
const texts = (turns: readonly SpokenTurn[]) => finish(chunkTranscript(turns)).map((chunk) => chunk.text);

describe("chunking a transcript", () => {
  test("short turns share a chunk, one per line", () => {
    expect(
      texts([
        { speaker: "Anna", text: "Hello." },
        { speaker: "Ben", text: " Hi. " },
      ]),
    ).toEqual(["Anna: Hello.\nBen: Hi."]);
  });

  test("a transcript without words has no chunks", () => {
    expect(texts([])).toEqual([]);
    expect(texts([{ speaker: "Anna", text: " \n " }])).toEqual([]);
  });

  test("a turn that doesn't fit begins the next chunk", () => {
    const turns = [150, 160, 90].map((length) => ({ speaker: "A", text: sentence(length) }));
    expect(texts(turns).map((chunk) => chunk.split("\n").length)).toEqual([1, 2]);
  });

  test("a chunk ends where the vocabulary changes", () => {
    // Splitting by length alone would end the chunks after 200, 400 and 600 words.
    const about = (word: string, turns: number) =>
      Array.from({ length: turns }, (_, at) => ({
        speaker: "A",
        text: sentence(10, `${word} ${word}${at % 3}`),
      }));
    const chunks = texts([...about("wombat", 16), ...about("budget", 18), ...about("picnic", 17)]);
    for (const chunk of chunks) expect(new Set(chunk.match(/wombat|budget|picnic/g)).size).toBe(1);
  });

  test("a long turn is split at sentence ends", () => {
    const text = Array.from({ length: 5 }, () => sentence(80)).join(" ");
    const chunks = texts([{ speaker: "A", text }]);
    expect(chunks).toHaveLength(2);
    for (const chunk of chunks) expect(chunk.endsWith("end.")).toBe(true);
  });

  test("a sentence without an end is split between words", () => {
    expect(texts([{ speaker: "A", text: "word ".repeat(1_000) }])).toHaveLength(5);
  });

  test("each speaker's words are counted", () => {
    const [chunk] = finish(
      chunkTranscript([
        { speaker: "Anna", text: "One two." },
        { speaker: "Ben", text: "Three." },
        { speaker: "Anna", text: "Four." },
      ]),
    );
    expect(chunk?.wordsBySpeaker).toEqual(
      new Map([
        ["Anna", 3],
        ["Ben", 1],
      ]),
    );
  });

  test("text without spaces is split as well, never inside a character", () => {
    const chunks = texts(Array.from({ length: 20 }, () => ({ speaker: "A", text: "🦀".repeat(50_000) })));
    for (const chunk of chunks) {
      expect(chunk.isWellFormed()).toBe(true);
      expect(chunk.length).toBeLessThan(50_000);
    }
    expect(chunks.join("").match(/🦀/gu)).toHaveLength(1_000_000);
  });

  test("every word is in exactly one chunk, and no chunk exceeds 300 words", () => {
    const turn = fc.record({
      speaker: fc.constantFrom("Anna", "Ben"),
      text: fc
        .array(fc.constantFrom("a", "bb.", "ccc?", "\t", "d!", "e,"), { maxLength: 700 })
        .map((w) => w.join(" ")),
    });
    fc.assert(
      fc.property(fc.array(turn, { maxLength: 12 }), (turns) => {
        const chunks = finish(chunkTranscript(turns));
        expect(chunks.flatMap((chunk) => words(chunk.spoken))).toEqual(
          turns.flatMap((one) => words(one.text)),
        );
        for (const chunk of chunks) {
          expect(words(chunk.spoken).length).toBeLessThanOrEqual(300);
          expect(words(chunk.text.replace(/^(Anna|Ben):/gm, ""))).toEqual(words(chunk.spoken));
        }
      }),
    );
  });
});
