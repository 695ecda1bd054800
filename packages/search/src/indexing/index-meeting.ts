import { type Database, schema } from "@minutes/db";
import { sql } from "drizzle-orm";
import { VERSION, WEIGHT_STEPS } from "../ranking.js";
import { type Chunk, chunkTranscript, type SpokenTurn, splitWords } from "./chunk.js";
import { type Lexemes, parseLexemes } from "./lexemes.js";
import { weighTerms } from "./weigh.js";

const { searchChunks, searchDocuments, searchPostings, searchSettings, searchSpeakers } = schema;

/**
 * Words of a meeting that are indexed (some twenty hours of talk) and speakers who are found by name. Without a bound,
 * one request of 32 MiB would block the database for minutes.
 */
const WORDS_MAX = 200_000;
const SPEAKERS_MAX = 1_000;

/**
 * Indexes what was said in a meeting, inside the transaction that completes the meeting. Takes two statements: one
 * reads the texts with the configured text search, one stores the rows.
 */
export async function indexMeeting(
  tx: Database,
  meetingId: string,
  title: string,
  turns: readonly SpokenTurn[],
): Promise<void> {
  const chunks = chunkTranscript(takeFirstTurns(turns));
  if (chunks.length === 0) return;
  const names = [...new Set(chunks.flatMap((chunk) => [...chunk.wordsBySpeaker.keys()]))].slice(
    0,
    SPEAKERS_MAX,
  );
  const { language, lexemes } = await readLexemes(tx, [
    title,
    ...names,
    ...chunks.map((chunk) => chunk.spoken),
  ]);
  const [titleLexemes = new Map(), ...rest] = lexemes;
  const lexemesOfName = new Map(names.map((name, at) => [name, rest[at] ?? new Map()]));
  const postings = weighTerms(
    chunks.map((chunk, at) => ({
      spoken: rest[names.length + at] ?? new Map(),
      context: [
        ...new Set(
          [...chunk.wordsBySpeaker.keys()].flatMap((name) => [...(lexemesOfName.get(name)?.keys() ?? [])]),
        ),
        ...titleLexemes.keys(),
      ],
    })),
  );
  await tx.execute(sql`
    with document as (
      insert into ${searchDocuments} (meeting_id, chunks, language, version)
      values (${meetingId}, ${chunks.length}, ${language}, ${VERSION}) returning document
    ), chunks as (
      insert into ${searchChunks} (meeting_id, position, text, first_turn, last_turn)
      select ${meetingId}, position - 1, c->>'text', (c->>'firstTurn')::int, (c->>'lastTurn')::int
      from json_array_elements(${JSON.stringify(
        chunks.map(({ text, firstTurn, lastTurn }) => ({ text, firstTurn, lastTurn })),
      )}::json) with ordinality chunk (c, position)
    ), speakers as (
      insert into ${searchSpeakers} (document, speaker, name, first, shares)
      select document, speaker, name, first, decode(shares, 'hex')
      from document, json_to_recordset(${JSON.stringify(toSpeakerRows(chunks, lexemesOfName))}::json)
        s (speaker smallint, name text[], first smallint, shares text)
    )
    insert into ${searchPostings} (document, term, chunks, best, first, weights, places)
    select document, term, chunks, best, first, decode(weights, 'hex'), places
    from document, json_to_recordset(${JSON.stringify(
      postings.map((posting) => ({ ...posting, weights: toHex(posting.weights) })),
    )}::json) p (term text, chunks smallint, best smallint, first smallint, weights text, places int[])`);
}

/** Takes the first turns, up to the limit of words. */
function takeFirstTurns(turns: readonly SpokenTurn[]): readonly SpokenTurn[] {
  let words = 0;
  const end = turns.findIndex(({ text }) => {
    words += splitWords(text).length;
    return words > WORDS_MAX;
  });
  return end < 0 ? turns : turns.slice(0, end + 1);
}

const toHex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");

/** Reads each text with the database's text search, in the language that is set for new meetings. */
async function readLexemes(
  tx: Database,
  texts: readonly string[],
): Promise<{ language: string; lexemes: Lexemes[] }> {
  const rows = await tx
    .select({
      language: searchSettings.language,
      words: sql<string>`to_tsvector(language::regconfig, t.text)::text`,
    })
    .from(searchSettings)
    .innerJoin(
      sql`json_array_elements_text(${JSON.stringify(texts)}::json) with ordinality t (text, position)`,
      sql`true`,
    )
    .orderBy(sql`t.position`);
  return { language: rows[0]?.language ?? "simple", lexemes: rows.map((row) => parseLexemes(row.words)) };
}

/** Makes a row for each speaker whose name has lexemes, with their share of the words of each chunk. */
function toSpeakerRows(chunks: readonly Chunk[], lexemesOfName: ReadonlyMap<string, Lexemes>) {
  const sharesOfName = new Map<string, Map<number, number>>();
  chunks.forEach(({ wordsBySpeaker }, at) => {
    const all = [...wordsBySpeaker.values()].reduce((sum, words) => sum + words, 0);
    for (const [name, words] of wordsBySpeaker) {
      const share = Math.round((words / all) * WEIGHT_STEPS);
      if (share === 0) continue;
      const shares = sharesOfName.get(name) ?? new Map();
      sharesOfName.set(name, shares.set(at, share));
    }
  });
  return [...lexemesOfName].flatMap(([name, lexemes], speaker) => {
    const shares = sharesOfName.get(name);
    if (lexemes.size === 0 || !shares) return [];
    const places = [...shares.keys()];
    const first = places[0] ?? 0;
    const row = new Uint8Array((places.at(-1) ?? 0) - first + 1);
    for (const [at, share] of shares) row[at - first] = share;
    return [{ speaker, name: [...lexemes.keys()], first, shares: toHex(row) }];
  });
}
