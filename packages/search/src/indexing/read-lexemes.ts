import { type Database, schema } from "@minutes/db";
import { sql } from "drizzle-orm";
import { type Lexemes, parseLexemes } from "./lexemes.js";
import { WordCache, type WordReading } from "./word-cache.js";

const { searchSettings } = schema;

/** A text that is already parted at its spaces. */
export interface SplitText {
  readonly spoken: string;
  readonly words: readonly string[];
}

/** Texts as the text search reads them, in the language that is set for new meetings. */
export interface ReadTexts {
  readonly language: string;
  readonly lexemes: readonly Lexemes[];
}

let latest = new WordCache("");

/**
 * Reads texts with the database's text search. Of plain texts only the words are sent that this process has not read
 * before: a meeting says few new ones.
 * @see docs/decisions/0220-words-are-read-once.md
 */
export async function readLexemes(tx: Database, given: readonly (string | SplitText)[]): Promise<ReadTexts> {
  const texts = given.map((text) => (typeof text === "string" ? text : text.spoken));
  const splits = given.map((text) =>
    typeof text === "string" ? splitPlainText(text) : splitPlainText(text.spoken, text.words),
  );
  let cache = latest;
  for (;;) {
    const { language, key, lexemes } = await readWords(tx, texts, splits, cache);
    if (lexemes) return { language, lexemes };
    if (key === null) return { language, lexemes: (await readWhole(tx, texts)).lexemes };
    // Another database, or another configuration: what is remembered says nothing about it.
    if (latest.key !== key) latest = new WordCache(key);
    cache = latest;
  }
}

/** What the parser may read across spaces, as a tag, or from the word before: such a text is read as a whole. */
const NOT_PLAIN = /[<&/@\\]/;
/** Characters of a word. With longer ones, the limits of a tsvector matter. */
const WORD_MAX = 50;
/** What ends a word everywhere. */
const SPACES = /[\t-\r ]+/;

/** Splits a text at its spaces; null where it has to be read as a whole. */
function splitPlainText(text: string, known?: readonly string[]): readonly string[] | null {
  if (NOT_PLAIN.test(text)) return null;
  const words = known ?? text.split(SPACES);
  return words.some((word) => word.length > WORD_MAX) ? null : words;
}

/** A word behind each word that is read alone. Its place tells how many places the word takes up. */
const MARK = "7";

/** Reads texts by the words of a cache, and completes it. @returns no lexemes where the cache has another key */
async function readWords(
  tx: Database,
  texts: readonly string[],
  splits: readonly (readonly string[] | null)[],
  cache: WordCache,
): Promise<{ language: string; key: string | null; lexemes: Lexemes[] | null }> {
  const missing = new Map<string, WordReading>();
  const readings = splits.map((split) =>
    split?.map((word) => {
      const known = cache.get(word) ?? missing.get(word);
      if (known) return known;
      const unread: WordReading = { lexemes: [], length: 0 };
      missing.set(word, unread);
      return unread;
    }),
  );
  const whole = texts.filter((_, at) => !splits[at]);
  const { language, key, lexemes } = await readWhole(tx, [
    ...whole,
    ...[...missing.keys()].map((word) => ` ${word} ${MARK}`),
  ]);
  if (key === null || key !== cache.key) return { language, key, lexemes: null };
  [...missing].forEach(([word, reading], at) => {
    Object.assign(reading, toReading(lexemes[whole.length + at] ?? new Map()));
    cache.add(word, reading);
  });
  const rest = lexemes.slice(0, whole.length);
  return {
    language,
    key,
    lexemes: readings.map((words) => (words ? joinReadings(words) : rest.shift()) ?? new Map()),
  };
}

/** Takes the mark away from the lexemes of a word. */
function toReading(lexemes: Lexemes): WordReading {
  const all = [...lexemes].flatMap(([lexeme, places]) => places.map((place) => [lexeme, place] as const));
  const mark = Math.max(...all.map(([, place]) => place));
  return { lexemes: all.filter(([, place]) => place < mark), length: mark - 1 };
}

/** The most places of a lexeme that a tsvector keeps. */
const PLACES_MAX = 255;

/** Joins what words say, one after another. */
function joinReadings(words: readonly WordReading[]): Lexemes {
  const lexemes = new Map<string, number[]>();
  let before = 0;
  for (const reading of words) {
    // By number: most words have one lexeme or none, and an iterator costs more than these.
    for (let nth = 0; nth < reading.lexemes.length; nth++) {
      const [lexeme, place] = reading.lexemes[nth] as WordReading["lexemes"][number];
      const places = lexemes.get(lexeme);
      if (!places) lexemes.set(lexeme, [before + place]);
      else if (places.length < PLACES_MAX) places.push(before + place);
    }
    before += reading.length;
  }
  return lexemes;
}

/**
 * Reads each text as a whole.
 * @returns also a key of the configuration, with its dictionaries; null where one of these may read several words together
 */
async function readWhole(
  tx: Database,
  texts: readonly string[],
): Promise<{ language: string; key: string | null; lexemes: Lexemes[] }> {
  // One row for all: a row of its own for each word costs Node more than the word costs the database.
  const [row] = await tx
    .select({
      language: sql<string>`language`,
      key: sql<string | null>`key`,
      words: sql<string | null>`words`,
    })
    .from(sql`(
      with settings as materialized (
        select language, (
          select case when bool_and(t.tmplname in ('simple', 'snowball', 'ispell', 'synonym'))
              and to_tsvector(language::regconfig, ${MARK}) = ${`'${MARK}':1`}::tsvector
            then md5(concat(version(), current_database(), language, string_agg(
              concat_ws(' ', m.maptokentype, m.mapseqno, t.tmplname, d.dictname, d.dictinitoption), ','
              order by m.maptokentype, m.mapseqno))) end
          from pg_ts_config_map m join pg_ts_dict d on d.oid = m.mapdict join pg_ts_template t on t.oid = d.dicttemplate
          where m.mapcfg = language::regconfig
        ) as key
        from ${searchSettings}
      )
      select language, key, (
        select json_agg(to_tsvector(language::regconfig, t.text)::text order by t.position)
        from json_array_elements_text(${JSON.stringify(texts)}::json) with ordinality t (text, position)
      )::text as words
      from settings
    ) read`)
    .prepare("read_words")
    .execute();
  const words: string[] = JSON.parse(row?.words ?? "[]");
  return { language: row?.language ?? "simple", key: row?.key ?? null, lexemes: words.map(parseLexemes) };
}
