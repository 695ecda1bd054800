import { type Database, schema } from "@minutes/db";
import { sql } from "drizzle-orm";
import { PLACES_PER_CHUNK } from "../ranking.js";
import type { TermOccurrences } from "./learn.js";

const { meetings, searchDocuments, searchPostings } = schema;

/** Newest chunks of a workspace that are learnt from; older meetings are found by their words. */
const CHUNKS = 8_000;
/**
 * Terms that are learnt, those of the newest meetings first: twice what so much talk has in any language. Each takes a
 * kilobyte and more, and a workspace that stores random words would have a million.
 */
const TERMS = 100_000;
/** What of a chunk's words its neighbours hear. */
const NEIGHBOUR = 0.5;

/** A meeting that is learnt from. */
export interface LearntDocument {
  readonly document: number;
  readonly chunks: number;
  /** The number of its first chunk among all. */
  readonly offset: number;
}

/** In how many chunks a term is, and how often each chunk hears it, its neighbours' share included. */
interface Heard {
  within: number;
  readonly counts: Map<number, number>;
}

/**
 * What a workspace's newest meetings say: their chunks, and where each term is in them; and the last of all its
 * meetings, also those that are too old to be listened to.
 */
export async function loadTrainingData(
  db: Database,
  workspaceId: string,
  yieldToEventLoop: () => Promise<void>,
) {
  const last = await lastOf(db, workspaceId);
  const documents = await newest(db, workspaceId);
  const heard = new Map<string, Heard>();
  for (const { document, chunks, offset } of documents) {
    // In an order of its own: sums of the same numbers differ by the order in which they are added.
    const postings = await db
      .select({ term: searchPostings.term, chunks: searchPostings.chunks, places: searchPostings.places })
      .from(searchPostings)
      .where(sql`${searchPostings.document} = ${document}`)
      .orderBy(searchPostings.term);
    for (const { term, chunks: within, places } of postings) {
      if (heard.size === TERMS && !heard.has(term)) continue;
      const known = heard.get(term) ?? { within: 0, counts: new Map() };
      heard.set(term, known);
      known.within += within;
      for (const place of places) {
        const chunk = Math.floor(place / PLACES_PER_CHUNK);
        for (const distance of [-1, 0, 1]) {
          const at = chunk + distance;
          if (at < 0 || at >= chunks) continue;
          const count = known.counts.get(offset + at) ?? 0;
          known.counts.set(offset + at, count + (distance === 0 ? 1 : NEIGHBOUR));
        }
      }
    }
    await yieldToEventLoop();
  }
  // A term of a single chunk says nothing about others.
  const terms: TermOccurrences[] = [...heard]
    .filter(([, { within, counts }]) => within > 1 && counts.size > 0)
    .map(([term, { counts }]) => ({
      term,
      chunks: Int32Array.from(counts.keys()),
      counts: Float32Array.from(counts.values()),
    }));
  return { documents, terms, last };
}

async function lastOf(db: Database, workspaceId: string): Promise<number> {
  const [row] = await db
    .select({ last: sql<number | null>`max(${searchDocuments.document})` })
    .from(searchDocuments)
    .innerJoin(meetings, sql`${meetings.id} = ${searchDocuments.meetingId}`)
    .where(sql`${meetings.workspaceId} = ${workspaceId}`);
  return row?.last ?? 0;
}

async function newest(db: Database, workspaceId: string): Promise<LearntDocument[]> {
  const rows = await db
    .select({ document: searchDocuments.document, chunks: searchDocuments.chunks })
    .from(searchDocuments)
    .innerJoin(meetings, sql`${meetings.id} = ${searchDocuments.meetingId}`)
    .where(sql`${meetings.workspaceId} = ${workspaceId}`)
    .orderBy(sql`${meetings.startTime} desc, ${meetings.id}`)
    .limit(CHUNKS);
  const documents: LearntDocument[] = [];
  let offset = 0;
  for (const { document, chunks } of rows) {
    if (offset > 0 && offset + chunks > CHUNKS) break;
    documents.push({ document, chunks, offset });
    offset += chunks;
  }
  return documents;
}
