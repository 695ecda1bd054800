import { SETTINGS } from "./config.js";

/** An environment variable that looks like a setting of Minutes but is not one. */
export interface UnknownSetting {
  readonly name: string;
  /** The setting that was probably meant. */
  readonly meant: string;
}

const NAMES = Object.keys(SETTINGS);

/** Begins the variables of PostgreSQL's own programs, such as PGHOST. */
const LIBPQ = "PG";

/** Maximum edit distance of a typo, in names too long to belong to another program. */
const TYPING_ERRORS = 2;
const SHORTEST = 6;

/**
 * Finds variables that only Minutes would use but does not read: typos (`RATE_LIMIT_PER_MINUT`) and names with a
 * missing or wrong ending (`RATE_LIMIT`, `SMTP_HOST`).
 */
export function findUnknownSettings(source: Readonly<Record<string, string | undefined>>): UnknownSetting[] {
  return Object.keys(source)
    .filter((name) => !NAMES.includes(name) && name.length >= SHORTEST && !name.startsWith(LIBPQ))
    .flatMap((name) => {
      const meant = findMeant(name);
      return meant === undefined ? [] : [{ name, meant }];
    });
}

/** Formats a message for the log, `doctor` and the terminal. */
export const describeUnknownSetting = ({ name, meant }: UnknownSetting): string =>
  `${name} is not a setting. Did you mean ${meant}?`;

function findMeant(name: string): string | undefined {
  const near = NAMES.map((known) => ({ known, edits: countEdits(name, known) }))
    .filter(({ edits }) => edits <= TYPING_ERRORS)
    .sort((a, b) => a.edits - b.edits);
  if (near[0]) return near[0].known;
  // A single word, such as DATABASE, may belong to another program.
  const begun = name.includes("_") ? NAMES.find((known) => known.startsWith(`${name}_`)) : undefined;
  return begun ?? findFamily(name);
}

/** Prefixes that only Minutes uses, so that any other ending is a mistake. */
const FAMILIES = [
  "AUDIT_LOG",
  "EMBEDDINGS",
  "RATE_LIMIT",
  "INGEST_LIMIT",
  "SMTP",
  "SUMMARISER",
  "TRANSCRIBER",
  "WEBHOOK",
];

const findFamily = (name: string): string | undefined => {
  const family = FAMILIES.find((words) => name.startsWith(`${words}_`));
  return NAMES.find((known) => family !== undefined && known.startsWith(`${family}_`));
};

/** Computes the Levenshtein distance from `from` to `to`. */
function countEdits(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (const [at, character] of [...from].entries()) {
    const next = [at + 1];
    for (let column = 1; column <= to.length; column++) {
      const replaced = (row[column - 1] ?? 0) + (character === to[column - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
