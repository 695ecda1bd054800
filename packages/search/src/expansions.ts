import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { stem } from "porter2";

/** A related term for a term of the query. */
export interface Expansion {
  /** The query's term, as stemmed by PostgreSQL's `english`. */
  readonly term: string;
  readonly expansion: string;
  /** Likelihood from 0 to 1 that both mean the same. */
  readonly weight: number;
}

/** Maximum number of query words to expand. Longer queries are specific enough. */
const WORDS_MAX = 40;

let table: Buffer | null = null;
/** Loads the sorted lines `term expansion:weight …`, weights in hundredths. 3.5 MB, loaded on first use. */
const loadTable = (): Buffer => {
  table ??= gunzipSync(readFileSync(new URL("./wordnet/english-expansions.txt.gz", import.meta.url)));
  return table;
};

/** Returns the stem of a lowercase English word; other words stay as they are. */
export const stemWord = (word: string): string => (/^[a-z]{2,}$/.test(word) ? stem(word) : word);

/** Finds related terms for the words of an English query in WordNet. */
export function expandQuery(query: string): Expansion[] {
  const words = query.toLowerCase().match(/[a-z]{2,}/g) ?? [];
  const terms = new Set(words.slice(0, WORDS_MAX).map(stem));
  return [...terms].flatMap((term) =>
    findLine(term).map((entry) => {
      const [expansion = "", hundredths] = entry.split(":");
      return { term, expansion, weight: Number(hundredths) / 100 };
    }),
  );
}

/** Finds a term's entries by binary search; empty if there are none. */
function findLine(term: string): string[] {
  const all = loadTable();
  const key = Buffer.from(`${term} `);
  let low = 0;
  let high = all.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const begin = all.lastIndexOf("\n", middle - 1) + 1;
    const end = all.indexOf("\n", begin);
    const line = all.subarray(begin, end);
    const order = Buffer.compare(line.subarray(0, key.length), key);
    if (order === 0) return line.toString().split(" ").slice(1);
    if (order < 0) low = end + 1;
    else high = begin;
  }
  return [];
}
