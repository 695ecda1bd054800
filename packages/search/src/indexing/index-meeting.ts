import {
  type Database,
  executePrepared,
  insertRows,
  runSteps,
  type Steps,
  schema,
  yieldToEventLoop,
} from "@minutes/db";
import { sql } from "drizzle-orm";
import { CHUNK_STRIDE, NOTES_FROM, VERSION, WEIGHT_STEPS } from "../ranking.js";
import { type Chunk, chunkTranscript, type SpokenTurn, splitWords } from "./chunk.js";
import { chunkNotes, readNotes } from "./notes.js";
import { packPostings } from "./pack-postings.js";
import { type Lexemes, readLexemes } from "./read-lexemes.js";
import { type Posting, weighTerms } from "./weigh.js";

const { searchChunks, searchDocuments, searchPostings, searchSpeakers } = schema;

/**
 * Maximum number of indexed words per meeting (about twenty hours of talk) and of speakers found by name. Without a
 * cap, one request of 32 MiB would block the database for minutes.
 */
const WORDS_MAX = 200_000;
const SPEAKERS_MAX = 1_000;

/**
 * Indexes a stored meeting within the transaction that completes it: its transcript, and its notes as a document of
 * their own.
 */
export async function indexMeeting(
  tx: Database,
  meetingId: string,
  title: string,
  turns: readonly SpokenTurn[],
): Promise<void> {
  await yieldToEventLoop();
  const chunks = await runSteps(chunkTranscript(await runSteps(takeFirstTurns(turns))));
  await indexDocument(tx, { meetingId, title, firstChunk: 0 }, chunks);
  await indexNotes(tx, meetingId);
}

/**
 * Indexes the notes of a meeting again, after a trigger deleted them because they changed. Does nothing if they are
 * indexed. The caller holds the meeting's lock.
 */
export async function indexNotes(tx: Database, meetingId: string): Promise<void> {
  const notes = await readNotes(tx, meetingId);
  if (!notes) return;
  const chunks = await chunkNotes(notes);
  await indexDocument(tx, { meetingId, title: notes.title, firstChunk: NOTES_FROM }, chunks);
}

interface DocumentFacts {
  readonly meetingId: string;
  readonly title: string;
  readonly firstChunk: number;
}

/** Stores a document. One statement parses the texts with the configured text search, and one per table stores the rows. */
async function indexDocument(
  tx: Database,
  { meetingId, title, firstChunk }: DocumentFacts,
  chunks: readonly Chunk[],
): Promise<void> {
  if (chunks.length === 0) return;
  const isTranscript = firstChunk === 0;
  const names = [...new Set(chunks.flatMap((chunk) => [...chunk.wordsBySpeaker.keys()]))].slice(
    0,
    SPEAKERS_MAX,
  );
  await yieldToEventLoop();
  const { language, lexemes } = await readLexemes(tx, [title, ...names, ...chunks]);
  const [titleLexemes = new Map(), ...rest] = lexemes;
  const lexemesOfName = new Map(names.map((name, at) => [name, rest[at] ?? new Map()]));
  const postings = await runSteps(
    weighTerms(
      chunks.map((chunk, at) => ({
        spoken: rest[names.length + at] ?? new Map(),
        context: [
          ...new Set(
            [...chunk.wordsBySpeaker.keys()].flatMap((name) => [...(lexemesOfName.get(name)?.keys() ?? [])]),
          ),
          ...titleLexemes.keys(),
        ],
      })),
      isTranscript,
    ),
  );
  const [made] = await tx
    .insert(searchDocuments)
    .values({ meetingId, firstChunk, chunks: chunks.length, language, version: VERSION })
    .returning({ document: searchDocuments.document })
    .prepare("insert_document")
    .execute();
  if (!made) throw new Error("The meeting has no number.");
  const { document } = made;
  await insertRows(tx, searchChunks, chunks, ({ text, firstTurn, lastTurn }, at) => ({
    meetingId,
    position: firstChunk + at,
    text,
    firstTurn: isTranscript ? firstTurn : null,
    lastTurn: isTranscript ? lastTurn : null,
  }));
  await executePrepared(
    tx,
    sql`
    insert into ${searchSpeakers} (document, speaker, name, first, shares)
    select ${document}::int, speaker, name, first, decode(shares, 'hex')
    from json_to_recordset(${JSON.stringify(toSpeakerRows(chunks, lexemesOfName, firstChunk))}::json)
      s (speaker smallint, name text[], first smallint, shares text)`,
  );
  const moved = isTranscript ? postings : postings.map((posting) => movePosting(posting, firstChunk));
  for (let at = 0; at < moved.length; ) {
    const from = at;
    for (let size = 0; at < moved.length && at - from < POSTINGS_AT_ONCE && size < POSTING_BYTES; at++)
      size += (moved[at]?.weights.length ?? 0) + 4 * (moved[at]?.places.length ?? 0);
    await yieldToEventLoop();
    await insertPostings(tx, document, moved.slice(from, at));
  }
}

/** Moves a posting to chunks that start at another position. */
const movePosting = (posting: Posting, firstChunk: number): Posting => ({
  ...posting,
  first: posting.first + firstChunk,
  places: posting.places.map((place) => place + firstChunk * CHUNK_STRIDE),
});

/** Postings stored per statement, and bytes of their lists. Nearly every meeting has fewer; a long one would block the event loop. */
const POSTINGS_AT_ONCE = 2_500;
const POSTING_BYTES = 256 * 1024;

async function insertPostings(tx: Database, document: number, postings: readonly Posting[]): Promise<void> {
  const packed = packPostings(postings);
  await executePrepared(
    tx,
    sql`
    with packed as materialized (
      select ${packed.terms}::text[] as terms, ${packed.chunks}::smallint[] as chunks, ${packed.best}::smallint[] as best,
        ${packed.first}::smallint[] as first, decode(${packed.weights}, 'hex') as weights,
        ${packed.weightsFrom}::int[] as weights_from, ${packed.weightsLength}::int[] as weights_length,
        ${packed.places}::int[] as places, ${packed.placesFrom}::int[] as places_from, ${packed.placesTo}::int[] as places_to
    )
    insert into ${searchPostings} (document, term, chunks, best, first, weights, places)
    select ${document}::int, p.term, p.chunks, p.best, p.first, substring(packed.weights from p.weights_from for p.weights_length),
      packed.places[p.places_from:p.places_to]
    from packed packed, unnest(packed.terms, packed.chunks, packed.best, packed.first, packed.weights_from,
      packed.weights_length, packed.places_from, packed.places_to)
      p (term, chunks, best, first, weights_from, weights_length, places_from, places_to)`,
  );
}

/** Returns the first turns, up to the word cap. */
function* takeFirstTurns(turns: readonly SpokenTurn[]): Steps<readonly SpokenTurn[]> {
  // Words are separated by spaces, so most meetings are too short to reach the cap.
  const most = turns.reduce((sum, { text }) => sum + Math.ceil(text.length / 2), 0);
  if (most <= WORDS_MAX) return turns;
  let words = 0;
  for (const [at, { text }] of turns.entries()) {
    words += splitWords(text).length;
    if (words > WORDS_MAX) return turns.slice(0, at + 1);
    if (at % TURNS_AT_ONCE === 0) yield;
  }
  return turns;
}

/** Number of turns whose words are counted per step. */
const TURNS_AT_ONCE = 100;

const toHex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");

/** Builds a row for each speaker whose name has lexemes, with their share of the words of each chunk. */
function toSpeakerRows(
  chunks: readonly Chunk[],
  lexemesOfName: ReadonlyMap<string, Lexemes>,
  firstChunk: number,
) {
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
    return [{ speaker, name: [...lexemes.keys()], first: firstChunk + first, shares: toHex(row) }];
  });
}
