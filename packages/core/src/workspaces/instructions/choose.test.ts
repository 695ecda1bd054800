import { expect, test } from "vitest";
import { chooseInstruction } from "./choose.js";

const toInstruction = (facts: { name: string; tag?: string; word?: string; isDefault?: boolean }) => ({
  ...{ id: "", prompt: "", language: null, tag: null, word: null, isDefault: false, ...facts },
});
const choose = (tags: string[], titles: string[], ...instructions: Parameters<typeof toInstruction>[0][]) =>
  chooseInstruction(instructions.map(toInstruction), { tags, titles })?.name ?? null;

const [TAG, WORD, DEFAULT] = [
  { name: "by tag", tag: "Sales" },
  { name: "by word", word: "1:1" },
  { name: "default", isDefault: true },
];

test("the meeting's tag wins over a word of a title, which wins over the default", () => {
  const all = [DEFAULT, WORD, TAG];
  expect(choose(["other", "SALES"], ["1:1 with Ben"], ...all)).toBe("by tag");
  expect(choose(["other"], ["call.mp3", "1:1 with Ben"], ...all)).toBe("by word");
  expect(choose(["other"], ["call.mp3"], ...all)).toBe("default");
  expect(choose([], ["call.mp3"], WORD, TAG)).toBeNull();
});

test("the first of several wins, such as one's own before the team's", () => {
  expect(choose(["sales"], [], TAG, { name: "the team's", tag: "sales" })).toBe("by tag");
});

test.each([
  ["sale", "Sale today", true],
  ["sale", "Wholesale", false],
  ["sale", "Sales, sale!", true],
  ["Team sync", "Weekly TEAM SYNC (July)", true],
  ["sync", "synch", false],
  ["ÜBER", "Gespräch über Preise", true],
  ["1:1", "11:15 call", false],
  ["週会", "第3回週会議", true],
  ["re", "Cafe\u0301 re\u0301sume\u0301", false],
  ["🚀", "Launch🚀today", true],
])("the word %s in the title %s: %s", (word, title, isFound) => {
  expect(choose([], [title], { name: "found", word }) !== null).toBe(isFound);
});
