import { createTestDatabase } from "@minutes/testing";
import { sql } from "drizzle-orm";
import { expect, onTestFinished, test } from "vitest";
import { writeArray } from "./statement.js";

test("the database reads back any text in an array", async () => {
  const { db, close } = await createTestDatabase();
  onTestFinished(close);
  const texts = [
    "",
    " ",
    "NULL",
    "null",
    '"',
    "\\",
    '\\"',
    "{}",
    "{a,b}",
    "a, b",
    "it's",
    "a\nb\tc",
    "naïve 🦀",
    null,
  ];
  const rows = await db
    .select({ text: sql<string | null>`t.text` })
    .from(sql`unnest(${writeArray(texts)}::text[]) with ordinality t (text, place)`)
    .orderBy(sql`t.place`);
  expect(rows.map(({ text }) => text)).toEqual(texts);
});

test("the database reads back numbers, booleans and nulls", async () => {
  const { db, close } = await createTestDatabase();
  onTestFinished(close);
  const [row] = await db
    .select({
      numbers: sql<boolean>`${writeArray([0, -1.5, 0.1, 1e21, 1e-7, null])}::double precision[] = array[0, -1.5, 0.1, 1e21, 1e-7, null]::double precision[]`,
      truths: sql<boolean>`${writeArray([true, false, null])}::boolean[] = array[true, false, null]`,
      none: sql<boolean>`${writeArray([])}::integer[] = '{}'`,
    })
    .from(sql`(select) nothing`);
  expect(row).toEqual({ numbers: true, truths: true, none: true });
});
