import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { chunkTranscript } from "./chunk.js";

const words = (text: string) => text.match(/\S+/g) ?? [];
const sentence = (length: number) => `${"word ".repeat(length - 1)}end.`;

describe("chunking a transcript", () => {
  test("short turns share an excerpt, each on its line", () => {
    expect(
      chunkTranscript([
        { speaker: "Anna", text: "Hello." },
        { speaker: "Ben", text: " Hi. " },
      ]),
    ).toEqual(["Anna: Hello.\nBen: Hi."]);
  });

  test("nothing said is no excerpt", () => {
    expect(chunkTranscript([])).toEqual([]);
    expect(chunkTranscript([{ speaker: "Anna", text: " \n " }])).toEqual([]);
  });

  test("a turn that doesn't fit any more begins the next excerpt", () => {
    const turns = [150, 100, 90].map((length) => ({ speaker: "A", text: sentence(length) }));
    expect(chunkTranscript(turns).map((chunk) => chunk.split("\n").length)).toEqual([1, 2]);
  });

  test("a long turn is cut at its sentence ends", () => {
    const text = Array.from({ length: 5 }, () => sentence(80)).join(" ");
    const chunks = chunkTranscript([{ speaker: "A", text }]);
    expect(chunks).toHaveLength(3);
    for (const chunk of chunks) expect(chunk.endsWith("end.")).toBe(true);
  });

  test("a sentence without an end is cut between words", () => {
    const chunks = chunkTranscript([{ speaker: "A", text: "word ".repeat(1_000) }]);
    expect(chunks).toHaveLength(5);
  });

  test("text without a single space is cut too, never inside a character", () => {
    const chunks = chunkTranscript(
      Array.from({ length: 20 }, () => ({ speaker: "A", text: "🦀".repeat(50_000) })),
    );
    for (const chunk of chunks) {
      expect(chunk.isWellFormed()).toBe(true);
      expect(chunk.length).toBeLessThan(50_000);
    }
    expect(chunks.join("").match(/🦀/gu)).toHaveLength(1_000_000);
  });

  test("no word is lost, none is doubled, and no excerpt is longer than 200 words", () => {
    const turn = fc.record({
      speaker: fc.constantFrom("Anna", "Ben"),
      text: fc
        .array(fc.constantFrom("a", "bb.", "ccc?", "\t", "d!", "e,"), { maxLength: 700 })
        .map((w) => w.join(" ")),
    });
    fc.assert(
      fc.property(fc.array(turn, { maxLength: 12 }), (turns) => {
        const chunks = chunkTranscript(turns);
        const said = chunks.flatMap((chunk) => chunk.split("\n").flatMap((line) => words(line).slice(1)));
        expect(said).toEqual(turns.flatMap((one) => words(one.text)));
        for (const chunk of chunks) {
          const spoken = chunk.split("\n").reduce((sum, line) => sum + words(line).length - 1, 0);
          expect(spoken).toBeLessThanOrEqual(200);
        }
      }),
    );
  });
});
