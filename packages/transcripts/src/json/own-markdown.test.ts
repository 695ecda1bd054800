import fc from "fast-check";
import { expect, test } from "vitest";
import { assignParticipants, readOwnMarkdown } from "./own-markdown.js";

const piece = fc.constantFrom(
  "**Boss**: ",
  "*",
  "\\",
  "\\*",
  "`",
  "_",
  "<b>",
  "#",
  "~",
  "\n",
  "\n\n",
  "\r\n",
  "\u2028",
  " ",
  "no",
  "屋",
);
const text = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(""));
const name = fc.constantFrom("Ann", "*Ann*", "An `X`", "back\\slash_", "Room 4: Lisbon", "Two  Spaces");

test("a transcript as the service writes it is read with every character of names and speech", () => {
  // As `selectMarkdown` in packages/core/src/meetings/meeting-json.ts.
  const write = (turns: readonly { speaker: string; text: string }[]) =>
    turns
      .map(({ speaker, text: said }) => {
        const heading = `**${speaker.replace(/([\\*_`])/g, "\\$1")}**: `;
        return heading + (/[\n\r\u2028\u2029]/.test(said) ? said.replace(/([\\*_`<#~])/g, "\\$1") : said);
      })
      .join("\n\n");
  fc.assert(
    fc.property(fc.array(fc.record({ speaker: name, text }), { minLength: 1, maxLength: 6 }), (turns) => {
      expect(readOwnMarkdown(write(turns))).toEqual(turns);
    }),
    { numRuns: 2_000, seed: 2026 },
  );
});

test.each([
  "",
  "Ann: Hello.",
  "###### 00:07\n\n**Ann**\n\nHello.",
  "notes\n\n**Ann**: Hello.",
  "**Ann**: a\nb * c",
])("%j is another Markdown", (markdown) => {
  expect(readOwnMarkdown(markdown)).toBeNull();
});

test("participants with the same name are all kept, in the order in which they first speak", () => {
  const turns = ["Ann", "Ann", "Bob", "Ann", "Ann"].map((speaker) => ({ speaker, text: "x" }));
  const people = [
    { name: "Ann", email: "ann@one.example" },
    { name: "Bob", email: undefined },
    { name: "Ann", email: "ann@two.example" },
  ];
  expect(assignParticipants(turns, people).map(({ speaker, email }) => [speaker, email])).toEqual([
    ["Ann", "ann@one.example"],
    ["Ann", "ann@one.example"],
    ["Bob", undefined],
    ["Ann", "ann@two.example"],
    ["Ann", "ann@two.example"],
  ]);
});
