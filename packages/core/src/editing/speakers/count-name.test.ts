import { expect, test } from "vitest";
import { countName } from "./edit-speakers.js";

test("a name is counted as whole words", () => {
  expect(countName("Jo met Jo. Joanna and -Jo- (Jo)", "Jo")).toBe(4);
  expect(countName("Jean-Luc (/x) {1}", "Jean-Luc (/x) {1}")).toBe(1);
  expect(countName("A+B and A+B2, Ä+B", "A+B")).toBe(1);
});
