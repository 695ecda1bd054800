import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { stem } from "porter2";

/** Another term that may stand for a term of the query. */
export interface Expansion {
  /** A term of the query, as PostgreSQL's `english` stems it. */
  readonly term: string;
  readonly expansion: string;
  /** From 0 to 1, how likely the one means the other. */
  readonly weight: number;
}

/** Words of a query that are looked up: more say what is meant by themselves. */
const WORDS_MAX = 40;

let table: Buffer | null = null;
/** Loads the sorted lines `term expansion:weight …`, weights in hundredths: 3.5 MB, when first needed. */
const loadTable = (): Buffer => {
  table ??= gunzipSync(readFileSync(new URL("./wordnet/english-expansions.txt.gz", import.meta.url)));
  return table;
};

/** Finds the terms that may stand for the words of an English query, by WordNet. */
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

/** Finds the entries of a term's line, by binary search; empty when there is none. */
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
