import { createTestDatabase } from "@minutes/testing";
import { sql } from "drizzle-orm";
import { stem } from "porter2";
import { expect, onTestFinished, test } from "vitest";
import { expandQuery } from "./expansions.js";

test("words of an English query get related terms, the most likely first", () => {
  const expansions = expandQuery("What does it COST?");
  expect(expansions.map(({ term }) => term)).toContain("cost");
  expect(expansions).toContainEqual({ term: "cost", expansion: "price", weight: expect.any(Number) });
  const weights = expansions.filter(({ term }) => term === "cost").map(({ weight }) => weight);
  expect(weights).toEqual([...weights].sort((left, right) => right - left));
  expect(expansions.every(({ weight }) => weight > 0 && weight <= 1)).toBe(true);
});

test("the first and last terms of the table are found, and unknown words have no expansions", () => {
  expect(expandQuery("aalii")).toEqual([{ term: "aalii", expansion: "tree", weight: 0.5 }]);
  expect(expandQuery("zymurgi")).not.toEqual([]);
  expect(expandQuery("xqzzy äöü 12 %")).toEqual([]);
});

test("a query of a thousand characters expands at most 40 words", () => {
  const words =
    "cost price money fund plan meet talk work house tree dog cat car road city bank school book door";
  const terms = new Set(expandQuery(`${words} ${"zoo ".repeat(300)}`).map(({ term }) => term));
  expect(terms.size).toBeLessThanOrEqual(40);
});

test("words are stemmed like the database's english configuration", async () => {
  const database = await createTestDatabase();
  onTestFinished(() => database.close());
  const words =
    "candidates applicants budget monies meeting meetings generously skies dying news inning exceed proceeded taping rigging euros abbey singly early happily relational conditional electricity hopefulness formalize replacement adjustment rolled rate sky cities agreed luxuriating hopping falling filing hissing hoped communicated";
  const rows = await database.db
    .select({ word: sql<string>`w`, stem: sql<string>`(ts_lexize('english_stem', w))[1]` })
    .from(sql`unnest(string_to_array(${words}, ' ')) w`);
  expect(rows.map((row) => [row.word, stem(row.word)])).toEqual(rows.map((row) => [row.word, row.stem]));
});
