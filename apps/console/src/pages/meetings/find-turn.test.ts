import { expect, test } from "vitest";
import { findTurn, listFound, toExcerpt } from "./find-turn";

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

test("an excerpt begins at the turn with the words, and in a long turn shortly before them", () => {
  expect(toExcerpt("Ada: One.\nBen: The kiln.\nAda: Two.", ["kiln"])).toBe("… Ben: The kiln.\nAda: Two.");
  const excerpt = toExcerpt(`Ada: ${"We talk. ".repeat(40)}The KILN is hot.`, ["kiln"]);
  expect(excerpt).toMatch(/^… \w.*The KILN is hot\.$/);
  expect(excerpt.indexOf("KILN")).toBeLessThanOrEqual(70);
});

test("a passage that begins with the words, or has none of them, is shown from its start", () => {
  for (const text of ["Ada: The kiln.\nBen: Two.", "Ada: One.\nBen: Two."])
    expect(toExcerpt(text, ["kiln"])).toBe(text);
});

test("marked are whole words, also with another ending or accent, but no short word within another one", () => {
  const text = "There the Turbines’ cooling: Pádraig’s turbine cooled, others therefore don’t.";
  expect(listFound(text, ["the", "turbine"])).toEqual(["the", "Turbines", "turbine"]);
  expect(listFound(text, ["cooled", "padraig"])).toEqual(["cooling", "Pádraig", "cooled"]);
  expect(listFound(text, ["ther", "cool"])).toEqual(["There", "cooling", "cooled", "therefore"]);
  expect(listFound("来週の会議で話す。次へ", ["会議"])).toEqual(["来週の会議で話す"]);
});
