import { expect, test } from "vitest";
import { findTurn } from "./find-turn";

const turns = (...lines: string[]) => ({
  text: lines.join("\n"),
  segments: lines.map((_, at) => ({ position: 40 + at })),
});

test("the turn with the most of the words is found", () => {
  const passage = turns(
    "Ada: The kiln is hot.",
    "Ben: Cool it.",
    "Ada: The KILN cools by Friday.",
    "Ben: Kiln!",
  );
  expect(findTurn(passage, ["friday", "Kiln"])).toBe(42);
});

test("of turns with as many of the words, or none, the first is found", () => {
  expect(findTurn(turns("Ada: One.", "Ben: Kiln.", "Ada: Kiln."), ["kiln"])).toBe(41);
  expect(findTurn(turns("Ada: One.", "Ben: Two."), ["kiln"])).toBe(40);
});

test("a passage whose lines are not its turns is found at its first turn", () => {
  expect(findTurn({ ...turns("Ada: One.", "Ben: Kiln."), text: "Ada: One.\n\nBen: Kiln." }, ["kiln"])).toBe(
    40,
  );
});

test("a title, summary or task is in no turn", () => {
  expect(findTurn({ text: "Kiln", segments: [] }, ["kiln"])).toBeUndefined();
});
