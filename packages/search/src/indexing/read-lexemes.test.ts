import { createTestDatabase, type TestDatabase } from "@minutes/testing";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parseLexemes, readLexemes } from "./read-lexemes.js";
import { setSearchLanguage } from "./reindex.js";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

/** Returns what to_tsvector gives for each text. */
async function readByDatabase(texts: readonly string[], language: string) {
  const rows = await database.db
    .select({ words: sql<string>`to_tsvector(${language}::regconfig, t.text)::text` })
    .from(sql`json_array_elements_text(${JSON.stringify(texts)}::json) with ordinality t (text, position)`)
    .orderBy(sql`t.position`);
  return rows.map(({ words }) => Object.fromEntries(parseLexemes(words)));
}

const readByWords = async (texts: readonly string[]) => {
  const { language, lexemes } = await readLexemes(database.db, texts);
  return { language, lexemes: lexemes.map((each) => Object.fromEntries(each)) };
};

const PIECES = [
  ..."the meetings , . ; : ! ? - – — + ' ’ \" ( ) … % $ # * = ~ ^ | [ ] _ 7 7. -7 +7 .5 5. 1e5 1.2.3 3,000 2nd 50% $5".split(
    " ",
  ),
  ..."wasn't it's o'clock e-mail well-known- -dash re--entry a.b.c U.S. www.example.com x.y:80 10:30 café naïve Straße".split(
    " ",
  ),
  ..."日本 語 Привет \u{1F998} a\u00a0b \u2028 zero\u200bwidth é e\u0301 http: mailto: C# c++ R2D2 snake_case ... -- '' ''x".split(
    " ",
  ),
  "http://example.com/a",
  "anna@example.com",
  "AT&T",
  "a<b",
  "c>d",
  "</i>",
  "\\x",
  "x".repeat(60),
];

/** Creates a reproducible random generator from 0 to 1. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Removes accents, which decide no ending in English. */
const foldAccents = (text: string): string =>
  text
    .normalize("NFD")
    .replace(/[\u0300-\u036f]/g, "")
    .normalize("NFC");

test.each(["english", "simple", "german"])(
  "parsed word by word, a text has the lexemes and positions that %s gives it",
  async (name) => {
    await setSearchLanguage(database.db, name);
    const random = createRandom(7);
    const pick = <Item>(items: readonly Item[]) => items[Math.floor(random() * items.length)] as Item;
    const texts = Array.from({ length: 150 }, () =>
      Array.from(
        { length: Math.floor(random() * 12) },
        () => pick(PIECES) + pick(["", " ", " ", " ", "\n", "\t "]),
      ).join(""),
    );
    texts.push("", " ", "la ".repeat(300), "the ".repeat(300).concat("end"));
    const expected = await readByDatabase(name === "german" ? texts : texts.map(foldAccents), name);
    // Twice: first the database parses the words, then they come from the cache.
    for (const _ of [1, 2]) {
      const { language, lexemes } = await readByWords(texts);
      expect(language).toBe(name);
      for (const [at, text] of texts.entries())
        expect(lexemes[at], JSON.stringify(text)).toEqual(expected[at]);
    }
  },
);

test("a changed dictionary takes effect immediately", async () => {
  const { db } = database;
  await db.execute(sql`create text search dictionary english_plain (template = simple)`);
  await db.execute(sql`create text search configuration changing (copy = english)`);
  await setSearchLanguage(db, "changing");
  expect((await readByWords(["meetings"])).lexemes).toEqual([{ meet: [1] }]);
  await db.execute(
    sql`alter text search configuration changing alter mapping for asciiword with english_plain`,
  );
  expect((await readByWords(["meetings"])).lexemes).toEqual([{ meetings: [1] }]);
});
