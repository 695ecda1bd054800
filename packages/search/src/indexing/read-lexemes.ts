import { type Database, schema, writeArray, yieldToEventLoop } from "@minutes/db";
import { sql } from "drizzle-orm";
import { foldAccents } from "../fold-accents.js";
import { WordCache, type WordReading } from "./word-cache.js";

/** The positions of each lexeme in a text. */
export type Lexemes = ReadonlyMap<string, readonly number[]>;

/** Parses a tsvector without weights: `'remot':1,5 'it''s':2`. */
export function parseLexemes(tsvector: string): Lexemes {
  const lexemes = new Map<string, readonly number[]>();
  // Sticky, so that a quote without an end is not searched for again at every later quote.
  for (const [, quoted = "", places = ""] of tsvector.matchAll(
    / ?'((?:[^'\\]|''|\\.)*)'(?::([\d,]+))?/gsuy,
  )) {
    const lexeme = quoted.replace(
      /''|\\(.)/gsu,
      (pair, escaped: string | undefined) => escaped ?? pair.slice(1),
    );
    lexemes.set(lexeme, places === "" ? [] : places.split(",").map(Number));
  }
  return lexemes;
}

const { searchSettings } = schema;

/** A text already split at its spaces. */
export interface SplitText {
  readonly spoken: string;
  readonly words: readonly string[];
}

/** Texts parsed with the text-search configuration for new meetings. */
export interface ReadTexts {
  readonly language: string;
  readonly lexemes: readonly Lexemes[];
}

let latest = new WordCache("");

/**
 * Parses texts with the database's text search. For plain texts, only words missing in this process's cache are sent: a
 * meeting has few new ones.
 * @see docs/decisions/0034-imports.md
 */
export async function readLexemes(tx: Database, given: readonly (string | SplitText)[]): Promise<ReadTexts> {
  const texts = given.map((text) => (typeof text === "string" ? text : text.spoken));
  const splits: (readonly string[] | null)[] = [];
  for (const text of given) {
    if (splits.length % 16 === 0) await yieldToEventLoop();
    splits.push(typeof text === "string" ? splitPlainText(text) : splitPlainText(text.spoken, text.words));
  }
  let cache = latest;
  for (;;) {
    const { language, key, lexemes } = await readWords(tx, texts, splits, cache);
    if (lexemes) return { language, lexemes };
    if (key === null) return { language, lexemes: (await readWhole(tx, texts)).lexemes };
    // Another database or configuration invalidates the cache.
    if (latest.key !== key) latest = new WordCache(key);
    cache = latest;
  }
}

/**
 * Characters that make the parser read across spaces, as in a tag, or depend on the previous word. Such a text is
 * parsed as a whole.
 */
const NOT_PLAIN = /[<&/@\\]/;
/** Maximum characters of a cached word. Longer ones run into limits of tsvector. */
const WORD_MAX = 50;
/** Characters that always end a word. */
const SPACES = /[\t-\r ]+/;

/** Splits a text at its spaces; null if it must be parsed as a whole. */
function splitPlainText(text: string, known?: readonly string[]): readonly string[] | null {
  if (NOT_PLAIN.test(text)) return null;
  const words = known ?? text.split(SPACES);
  return words.some((word) => word.length > WORD_MAX) ? null : words;
}

/** A marker appended to each word parsed alone. Its position reveals how many positions the word takes. */
const MARK = "7";
const markWord = (word: string): string => ` ${word} ${MARK}`;

/** Maximum words parsed per statement, about 10 ms. Nearly every meeting has fewer new ones. */
const WORDS_AT_ONCE = 1_000;

/**
 * Parses texts with the words of a cache and adds the missing ones. @returns no lexemes if the cache has another key
 */
async function readWords(
  tx: Database,
  texts: readonly string[],
  splits: readonly (readonly string[] | null)[],
  cache: WordCache,
): Promise<{ language: string; key: string | null; lexemes: Lexemes[] | null }> {
  const missing = new Map<string, WordReading>();
  const find = (word: string): WordReading => {
    const known = cache.get(word) ?? missing.get(word);
    if (known) return known;
    const unread: WordReading = { lexemes: [], length: 0 };
    missing.set(word, unread);
    return unread;
  };
  const readings: (readonly WordReading[] | undefined)[] = [];
  for (const split of splits) {
    if (readings.length % 16 === 0) await yieldToEventLoop();
    readings.push(split?.map(find));
  }
  const whole = texts.filter((_, at) => !splits[at]);
  const unread = [...missing];
  const first = unread.slice(0, WORDS_AT_ONCE);
  const { language, key, lexemes } = await readWhole(tx, [
    ...whole,
    ...first.map(([word]) => markWord(word)),
  ]);
  if (key === null || key !== cache.key) return { language, key, lexemes: null };
  const keep = (words: typeof unread, read: readonly Lexemes[]) =>
    words.forEach(([word, reading], at) => {
      Object.assign(reading, toReading(read[at] ?? new Map()));
      cache.add(word, reading);
    });
  const rest = lexemes.splice(0, whole.length);
  keep(first, lexemes);
  for (let at = WORDS_AT_ONCE; at < unread.length; at += WORDS_AT_ONCE) {
    const words = unread.slice(at, at + WORDS_AT_ONCE);
    const read = await readWhole(
      tx,
      words.map(([word]) => markWord(word)),
    );
    if (read.key !== key) return { language, key: read.key, lexemes: null };
    keep(words, read.lexemes);
  }
  const joined: Lexemes[] = [];
  for (const words of readings) {
    if (joined.length % 16 === 0) await yieldToEventLoop();
    joined.push((words ? joinReadings(words) : rest.shift()) ?? new Map());
  }
  return { language, key, lexemes: joined };
}

/** Removes the marker from a word's lexemes. */
function toReading(lexemes: Lexemes): WordReading {
  const all = [...lexemes].flatMap(([lexeme, places]) => places.map((place) => [lexeme, place] as const));
  const mark = Math.max(...all.map(([, place]) => place));
  return { lexemes: all.filter(([, place]) => place < mark), length: mark - 1 };
}

/** Maximum positions of a lexeme in a tsvector. */
const PLACES_MAX = 255;

/** Joins the lexemes of consecutive words. */
function joinReadings(words: readonly WordReading[]): Lexemes {
  const lexemes = new Map<string, number[]>();
  let before = 0;
  for (const reading of words) {
    // An index loop: most words have at most one lexeme, and an iterator would cost more.
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
 * Parses each text as a whole.
 * @returns also a key of the configuration and its dictionaries; null if one of them can combine several words
 */
async function readWhole(
  tx: Database,
  texts: readonly string[],
): Promise<{ language: string; key: string | null; lexemes: Lexemes[] }> {
  // One row for all words: a row per word costs Node more than parsing the word costs the database.
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
        select json_agg(to_tsvector(language::regconfig, ${foldAccents(sql`t.text`, sql`language`)})::text order by t.position)
        from unnest(${writeArray(texts)}::text::text[]) with ordinality t (text, position)
      )::text as words
      from settings
    ) read`)
    .prepare("read_words")
    .execute();
  const words: string[] = JSON.parse(row?.words ?? "[]");
  return { language: row?.language ?? "simple", key: row?.key ?? null, lexemes: words.map(parseLexemes) };
}
