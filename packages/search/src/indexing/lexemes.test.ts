import { createTestDatabase } from "@minutes/testing";
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { foldAccents } from "../fold-accents.js";
import { parseLexemes } from "./read-lexemes.js";

test("parses PostgreSQL's output, whatever a lexeme contains", async () => {
  const database = await createTestDatabase();
  const texts = [
    "Remote controls, remote",
    "it's d'accord",
    "C:\\path\\to 'x' a:b",
    "",
    "naïve 日本 x@y.com",
    "\u{1F998} \u{1F998}a",
  ];
  for (const text of texts) {
    const [row] = await database.db
      .select({
        printed: sql<string>`to_tsvector('simple', ${text})::text`,
        lexemes: sql<string>`coalesce((select json_object_agg(lexeme, positions) from unnest(to_tsvector('simple', ${text}))), '{}')::text`,
      })
      .from(sql`(values (1)) one`);
    expect(Object.fromEntries(parseLexemes(row?.printed ?? ""))).toEqual(JSON.parse(row?.lexemes ?? ""));
  }
  await database.close();
});

test.each([
  ["Pádraig shows Seán", "Padraig shows Sean"],
  ["Padraig", "Padraig"],
  // PostgreSQL would sort these in quadratic time.
  [`é${"\u0301\u0323".repeat(60)}`, `é${"\u0301\u0323".repeat(60)}`],
])("accents are removed, but not from a run of them that is no word: %s", async (text, folded) => {
  const database = await createTestDatabase();
  const [row] = await database.db
    .select({ folded: sql<string>`${foldAccents(sql`${text}::text`, sql`'english'`)}` })
    .from(sql`(values (1)) one`);
  expect(row?.folded).toBe(folded);
  await database.close();
});
